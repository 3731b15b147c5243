/**
 * @file Answers from the copy that was saved when this version was installed. The build fills in both placeholders.
 * The copy of the version before stays, since a tab may still run it after another tab has gone on to this one.
 */
const files = /* files */ [];
const version = "/* version */ dev";
const prefix = "fusion-playground-";
const name = prefix + version;
/** The page as it may stand in other pages: the host sends it with other headers, so it is a copy of its own. */
const EMBED = "./?embed";

self.addEventListener("install", (event) => {
  const wanted = [...files, EMBED].map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(wanted)));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      // In the order in which they were made: the last one is the version before.
      .then((names) => names.filter((other) => other.startsWith(prefix) && other !== name).slice(0, -1))
      .then((old) => Promise.all(old.map((other) => caches.delete(other))))
      .then(() => self.clients.claim()),
  );
});

// A person who reloads for the new version sends this; nothing else replaces a running version.
self.addEventListener("message", (event) => {
  if (event.data === "activate") void self.skipWaiting();
});

// Scripts are asked for with an Origin header and were saved without: a Vary of the host must not part them.
const savedPage = (url) =>
  caches.match(new URL(url).searchParams.has("embed") ? EMBED : "./", { cacheName: name, ignoreVary: true });

async function savedFile(request) {
  const how = { ignoreSearch: true, ignoreVary: true };
  return (await caches.match(request, { ...how, cacheName: name })) ?? caches.match(request, how);
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== self.location.origin) return;
  const saved = request.mode === "navigate" ? savedPage(request.url) : savedFile(request);
  event.respondWith(saved.then((response) => response ?? fetch(request)));
});
