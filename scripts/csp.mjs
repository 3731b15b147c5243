/** @file The security headers of the built page: one list, for `npm start`, `vite preview` and the meta element of static hosts. */

const directives = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self' 'unsafe-inline'",
  "font-src": "'self'",
  "img-src": "'self' data:",
  "connect-src": "'self'",
  "worker-src": "'self'",
  "manifest-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
  "object-src": "'none'",
  "frame-ancestors": "'none'",
  "require-trusted-types-for": "'script'",
  // kf-worker is ours; the others are Monaco's, one wherever it makes markup or workers.
  "trusted-types": [
    "kf-worker",
    "editorViewLayer",
    "richScreenReaderContent",
    "domLineBreaksComputer",
    "diffReview",
    "diffEditorWidget",
    "editorGhostText",
    "stickyScrollViewLayer",
    "standaloneColorizer",
    "defaultWorkerFactory",
    "tokenizeToString",
    "dompurify",
  ].join(" "),
};

const join = (names, rules = directives) => names.map((name) => `${name} ${rules[name]}`).join("; ");

/** For the Content-Security-Policy header. */
export const cspHeader = join(Object.keys(directives));

/** For `<meta http-equiv>`, where frame-ancestors is ignored with a warning. */
const inMeta = Object.keys(directives).filter((name) => name !== "frame-ancestors");
export const cspMeta = join(inMeta);

/** For the page in one file: its script, styles and fonts stand in it, and its workers are blobs of its own making. */
export const singleCspMeta = join(inMeta, {
  ...directives,
  "script-src": "'unsafe-inline' blob:",
  "font-src": "data:",
  "img-src": "data: blob:",
  "worker-src": "blob:",
});

/** Sent with every file: the policy, and the isolation that gives a 5 µs clock. */
export const securityHeaders = {
  "Content-Security-Policy": cspHeader,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

/** The embedded view keeps nothing and changes nothing outside itself: it alone may stand in other pages. */
export const embedHeaders = { ...securityHeaders, "Content-Security-Policy": cspMeta };
