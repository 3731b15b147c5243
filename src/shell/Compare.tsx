/** @file Two plans beside each other: the panel that compares, with the canvas's way of drawing a plan. */
import { loadStill } from "../editor";
import { loadCompare } from "../panels";
import { lazyModule } from "../state";

const useCompare = lazyModule(loadCompare);
const useStill = lazyModule(loadStill);

export function Compare() {
  const compare = useCompare();
  const still = useStill();
  return compare && still && <compare.CompareView Still={still.StillPicture} />;
}
