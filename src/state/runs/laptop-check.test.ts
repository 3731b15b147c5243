import { expect, test } from "vitest";
import { factsOf, type NavigatorLike } from "./laptop-check";

const page = { isSecureContext: true, crossOriginIsolated: true, origin: "https://example.org" };

const AGENTS: readonly (readonly [NavigatorLike, string])[] = [
  [
    {
      userAgent:
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
      userAgentData: {
        platform: "Linux",
        brands: [
          { brand: "Chromium", version: "142" },
          { brand: "Google Chrome", version: "142" },
        ],
      },
    },
    "Chrome 142 Linux",
  ],
  [
    {
      userAgent:
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
    },
    "Edge 141 Windows",
  ],
  [
    { userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0" },
    "Firefox 145 Windows",
  ],
  [
    { userAgent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15" },
    "Safari 26 macOS",
  ],
  [
    {
      userAgent: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15",
      maxTouchPoints: 5,
    },
    "Safari 26 iOS",
  ],
  [
    { userAgent: "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36" },
    "Chrome 140 Android",
  ],
  [
    { userAgent: "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/139.0.0.0 Safari/537.36" },
    "Chrome 139 ChromeOS",
  ],
  [{ userAgent: "Lynx/2.9" }, "an unknown browser null unknown"],
];

test.each(AGENTS)("browser and system of %o", async (navigator, said) => {
  const { browser, version, system } = await factsOf(navigator, page);
  expect(`${browser} ${version} ${system}`).toBe(said);
});
