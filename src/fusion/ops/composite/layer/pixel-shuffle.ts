import { weaving } from "../../pixels";

export const pixelShuffle = weaving(
  { name: "pixel_shuffle", formula: "channels · r² → pixels · r by r" },
  {
    split: ([c, h, w], r) => [c / (r * r), r, r, h, w],
    order: [0, 3, 1, 4, 2],
    woven: ([c, h, w], r) => [c / (r * r), h * r, w * r],
    fits: ([c], r) => r >= 1 && c % (r * r) === 0,
    rule: (r) => `channels, third from the end, must be a multiple of ${r * r}`,
  },
);
