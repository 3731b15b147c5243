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
  // kf-worker is ours; the others are Monaco's, one for each place where it makes markup or workers.
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

const join = (names) => names.map((name) => `${name} ${directives[name]}`).join("; ");

/** For the Content-Security-Policy header. */
export const cspHeader = join(Object.keys(directives));

/** For `<meta http-equiv>`, where frame-ancestors is ignored with a warning. */
export const cspMeta = join(Object.keys(directives).filter((name) => name !== "frame-ancestors"));

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
