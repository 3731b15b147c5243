/** @file Answers from the copy that was kept when this version was installed. The build fills in both placeholders. */
const files = /* files */ [];
const version = "/* version */ dev";
const name = `fusion-playground-${version}`;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches.open(name).then((cache) => cache.addAll(files.map((file) => new Request(file, { cache: "reload" })))),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((other) => other !== name).map((other) => caches.delete(other))))
      .then(() => self.clients.claim()),
  );
});

// A person who reloads for the new version sends this; nothing else replaces a running version.
self.addEventListener("message", (event) => {
  if (event.data === "activate") void self.skipWaiting();
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== self.location.origin) return;
  const wanted = request.mode === "navigate" ? "./" : request;
  event.respondWith(
    caches
      .open(name)
      // Scripts are asked for with an Origin header and were kept without: a Vary of the host must not part them.
      .then((cache) => cache.match(wanted, { ignoreSearch: true, ignoreVary: true }))
      .then((kept) => kept ?? fetch(request)),
  );
});
