// The controls that a compositor or an X server gives over its outputs.
import type { Control, DisplayMode, DisplayRotation, Power } from "../../../player/machine-controls.ts";
import type { Output } from "./outputs.ts";

export interface ScreenControls {
  power: Control<Power> | null;
  rotation: Control<DisplayRotation> | null;
  mode: Control<DisplayMode | null> | null;
  outputs: Output[];
}
