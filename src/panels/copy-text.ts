/** @file Puts a text on the clipboard. */

/** Whether it worked: a browser may refuse, and insecure origins have no clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
