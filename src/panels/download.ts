/** @file Hands a file to the person. */

export function download(name: string, type: string, content: string | Uint8Array): void {
  const part = typeof content === "string" ? content : Uint8Array.from(content);
  const url = URL.createObjectURL(new Blob([part], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
