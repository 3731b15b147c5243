import { weaving } from "../../pixels";

export const pixelUnshuffle = weaving(
  { name: "pixel_unshuffle", formula: "pixels · r by r → channels · r²" },
  {
    split: ([c, h, w], r) => [c, h / r, r, w / r, r],
    order: [0, 2, 4, 1, 3],
    woven: ([c, h, w], r) => [c * r * r, h / r, w / r],
    fits: ([, h, w], r) => r >= 1 && h % r === 0 && w % r === 0,
    rule: (r) => `last two sizes must be multiples of ${r}`,
  },
);
