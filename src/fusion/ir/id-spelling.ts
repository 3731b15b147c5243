/** @file What the spelling of identities says (docs/architecture.md), and those made by adding to one: no other file takes them apart. */
import { nodeId, type NodeId } from "./ids";

/** The statement that a node is part of: its binding in the innermost call, without the path inside the expression and the composite's part. */
export const statementOf = (id: string): string => /^(?:.*#\d+\/)?[^/.]*/.exec(id)![0];

/** The name that a statement binds: `h` of `h.centre`, `h/0/1`, `h@2` and `h1/block#0/t`; of `i#3/h`, which is in a loop, too. */
export const boundName = (id: string): string => /^[^./~@#[\]>]+/.exec(id.replace(/^(\w+#\d+\/)+/, ""))?.[0] ?? id;

/** The same of the innermost call or loop: `t` of `h1/block#0/t/1`; what a call returns has the name outside of it. */
export function innerName(id: string): string {
  const inner = boundName(id.replace(/^.*#\d+\//, ""));
  return inner === "return" ? boundName(id) : inner;
}

/** Which call of its name, or which iteration, counted from 1: 3 of `a/heads#2`. */
export const timesCalled = (id: string): number => Number(/#(\d+)$/.exec(id)?.[1] ?? 0) + 1;

/** The name in the text of what is bound at the top: `y` of `y` and `y@2`; null of parts, and of what calls and loops bind. */
export const topName = (id: string): string | null => /^([A-Za-z_]\w*)(?:@\d+)?$/.exec(id)?.[1] ?? null;

/** What a statement binds that stands at `root` of a call or loop whose identities begin with `prefix`: `t` of `h1/block#0/t@2`. */
export function localName(root: string, prefix: string): string {
  const own = root.slice(prefix.length);
  const at = own.indexOf("@");
  return at < 0 ? own : own.slice(0, at);
}

/** An identity as one word; `prefix`, where it begins with that, is left out. */
export const asWord = (id: string, prefix: string): string =>
  (id.startsWith(prefix) ? id.slice(prefix.length) : id).replaceAll(/[^A-Za-z0-9_]+/g, "_").replaceAll(/^_+|_+$/g, "");

/** A binding, a version of one or a composite's part: no path leads to it, and no pass made it. */
export const isPathless = (id: string): boolean => /^[A-Za-z_][\w.@#]*$/.test(id);

/** Inside an expression, a call or a loop. */
export const isInside = (id: string): boolean => id.includes("/");

/** In the expression that `whole` is bound to, or in the call. */
export const isInsideOf = (id: string, whole: string): boolean => id.startsWith(`${whole}/`);

/** `whole` itself, what it is made of, or what it was made into. */
export const isWithin = (id: string, whole: string): boolean =>
  id === whole || isInsideOf(id, whole) || id.startsWith(`${whole}~`) || id.startsWith(`${whole}.`);

/** The node that something was made for, and what that is called: `y` and `partials` of `y~partials`. */
export function splitMade(id: string): { readonly of: NodeId; readonly made: readonly string[] } {
  const [of, ...made] = id.split("~");
  return { of: nodeId(of!), made };
}

/** One of the results of `whole`, or one of its iterations. */
export const isItemOf = (id: string, whole: string): boolean => id.startsWith(`${whole}#`);

const PARTIALS = "~partials";
/** What several workgroups leave for the launch after them. */
export const partialsId = (what: string): NodeId => nodeId(`${what}${PARTIALS}`);
export const isPartials = (id: string): boolean => id.endsWith(PARTIALS);

/** Node `index` of a graph whose nodes have numbers for names. */
export const numberedId = (index: number): NodeId => nodeId(`@${index}`);
/** The same, or what is made of it, under the name that it has among `ids`. */
export const unnumberedId = (ids: readonly NodeId[], id: string): NodeId =>
  nodeId(id.replace(/^@(\d+)/, (_, index: string) => ids[Number(index)]!));
