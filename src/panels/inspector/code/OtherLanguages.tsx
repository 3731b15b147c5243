/** @file The shown kernel in CUDA C++ and in Triton, to be read: the same loads, stores and loops. Nothing of it runs here. */
import { useEffect, useMemo, useRef, useState } from "react";
import { cudaText, kernelTitle, tritonText, type ForeignText, type Graph, type Kernel } from "../../../fusion";
import { copyText } from "../../copy-text";
import { Icon } from "../../../icons";
import "./other-languages.css";

const LANGUAGES = ["CUDA", "Triton"] as const;
type Language = (typeof LANGUAGES)[number];

const ABOUT: Readonly<Record<Language, string>> = {
  CUDA: "A workgroup is a block, a storage buffer a pointer, workgroup memory is __shared__, a barrier is __syncthreads().",
  Triton:
    "One program computes a block of elements or a row; Triton chooses its threads, so there are no barriers to see.",
};

interface Props {
  readonly kernel: Kernel;
  readonly graph: Graph;
  readonly onClose: () => void;
}

const textOf = (language: Language, kernel: Kernel, graph: Graph): ForeignText | string =>
  language === "CUDA" ? cudaText(kernel) : tritonText(graph, kernel);

function Header({ header }: { readonly header: string }) {
  if (header === "") return null;
  return (
    <details>
      <summary>The lines before it, which are the same for every kernel</summary>
      <pre>{header}</pre>
    </details>
  );
}

export function OtherLanguages({ kernel, graph, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [language, setLanguage] = useState<Language>("CUDA");
  const [copied, setCopied] = useState(false);
  const shown = useMemo(() => textOf(language, kernel, graph), [language, kernel, graph]);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const title = `${kernelTitle(kernel)} in ${language}`;
  return (
    <dialog ref={dialog} className="diff other-languages" aria-label={title} onClose={onClose}>
      <header>
        <h2>
          {title} <em>not run here</em>
        </h2>
        <div role="group" aria-label="Language">
          {LANGUAGES.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === language}
              onClick={() => {
                setLanguage(each);
                setCopied(false);
              }}
            >
              {each}
            </button>
          ))}
        </div>
        <button type="button" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="cross" />
        </button>
      </header>
      <div className="other-languages-body nokey">
        <p>{ABOUT[language]}</p>
        {typeof shown === "string" ? (
          <p role="status">{shown}</p>
        ) : (
          <>
            <pre aria-label={title}>{shown.text}</pre>
            <Header header={shown.header} />
            <button
              type="button"
              className="kernel-action"
              onClick={() => void copyText(`${shown.header}\n${shown.text}`).then(setCopied)}
            >
              <Icon name="copy" /> {copied ? "Copied" : "Copy"}
            </button>
          </>
        )}
      </div>
    </dialog>
  );
}
