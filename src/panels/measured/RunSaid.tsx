/** @file How a run ended, as one text. Comes with the first run that ends. */
import { usePlayground } from "../../state";
import { runAnnouncement } from "../model/run/announce";

/** The text alone, or `className` as a paragraph of it; nothing while there is nothing to say. */
export function RunSaid({ className }: { readonly className?: string }) {
  const said = usePlayground(({ run, cpuCheck }) => runAnnouncement(run, cpuCheck));
  return className && said ? <p className={className}>{said}</p> : said;
}
