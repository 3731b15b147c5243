/** @file Views of two plans at once: the panel that compares or races them, with the canvas's way of drawing a plan. */
import { loadStill } from "../editor";
import { loadCompare, loadRace } from "../panels";
import { lazyModule } from "../state";

const useCompare = lazyModule(loadCompare);
const useRace = lazyModule(loadRace);
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
