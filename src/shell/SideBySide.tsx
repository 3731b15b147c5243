/** @file Views that stand instead of the page: two plans compared or racing, with the canvas's way of drawing a plan, and one kernel at work. */
import { loadStill } from "../editor";
import { loadCompare, loadInside, loadRace } from "../panels";
import { lazyModule } from "../state";

const useCompare = lazyModule(loadCompare);
const useRace = lazyModule(loadRace);
const useInside = lazyModule(loadInside);
const useStill = lazyModule(loadStill);

export function Compare() {
  const compare = useCompare();
  const still = useStill();
  return compare && still && <compare.CompareView Still={still.StillPicture} />;
}

export function Race() {
  const race = useRace();
  const still = useStill();
  return race && still && <race.RaceView Still={still.StillPicture} />;
}

export function Inside() {
  const inside = useInside();
  return inside && <inside.InsideView />;
}
