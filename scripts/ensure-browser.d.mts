export interface FoundBrowser {
  readonly path: string;
  readonly own: boolean;
}
export function findBrowser(): Promise<FoundBrowser | null>;
export function ensureBrowser(): Promise<FoundBrowser | null>;
