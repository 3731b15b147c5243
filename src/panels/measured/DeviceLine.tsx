/** @file Whose time it is and by which clock; always in sight. */
import { Icon } from "../Icon";
import { clockLine } from "../model/device";
import type { Device } from "../model/run-types";

interface Props {
  readonly device: Device;
  /** Dispatches repeated inside one timed pass; null before a run. */
  readonly repeats: number | null;
}

export function DeviceLine({ device, repeats }: Props) {
  return (
    <p className="measured-device" title={device.description}>
      <Icon name="chip" />
      <b>{device.name}</b>
      {device.software && <span className="measured-pill">software adapter</span>}
      <span>{clockLine(device, repeats)}</span>
    </p>
  );
}
