export const singleCspMeta: string;
export const cspHeader: string;
export const cspMeta: string;
export const securityHeaders: Readonly<Record<string, string>>;
