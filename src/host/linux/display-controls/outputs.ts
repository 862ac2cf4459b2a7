// An output of the machine as its compositor or X server tells, and the choice of one of its modes.
import { Fault } from "../../../base/fault.ts";
import type { DisplayMode, DisplayOutput, DisplayRotation } from "../../../player/machine-controls.ts";

/** A mode with the refresh rate exactly as the tool tells it. */
export interface OutputMode {
  width: number;
  height: number;
  /** 0: unknown, as of virtual outputs. */
  refreshHz: number;
  isPreferred: boolean;
  isCurrent: boolean;
}

export interface Output {
  name: string;
  make: string | null;
  model: string | null;
  isEnabled: boolean;
  rotation: DisplayRotation | null;
  modes: OutputMode[];
}

// Operators name whole rates: 60 means 59.94 too.
const refreshToleranceHz = 0.5;
const maxModes = 64;
const maxNamed = 12;

/** As the player's capabilities list it. */
export function describeOutput({ name, make, model, isEnabled, modes }: Output): DisplayOutput {
  const current = modes.find(({ isCurrent }) => isCurrent);
  return {
    name,
    make,
    model,
    mode: isEnabled && current !== undefined ? toMode(current) : null,
    modes: modes.slice(0, maxModes).map(toMode),
  };
}

export function currentMode({ isEnabled, modes }: Output): DisplayMode | null {
  const current = modes.find(({ isCurrent }) => isCurrent);
  return isEnabled && current !== undefined ? toMode(current) : null;
}

/** True if the output takes any mode, because nothing real is connected to it: it lists at most the present one. */
function takesAnyMode({ modes }: Output): boolean {
  return modes.every(({ isPreferred, isCurrent }) => isCurrent && !isPreferred);
}

/** The output's own mode that is meant; null if it has none. */
export function findMode({ modes }: Output, { width, height, refresh_hz }: DisplayMode): OutputMode | null {
  const candidates = modes.filter((each) => each.width === width && each.height === height);
  if (refresh_hz === undefined) return candidates.toSorted((a, b) => b.refreshHz - a.refreshHz)[0] ?? null;
  const distance = (each: OutputMode): number => Math.abs(each.refreshHz - refresh_hz);
  const [nearest] = candidates.toSorted((a, b) => distance(a) - distance(b));
  return nearest !== undefined && distance(nearest) <= refreshToleranceHz ? nearest : null;
}

/** The outputs that have the mode. @throws Fault `unsupported` with the modes that there are if none has. */
export function outputsWithMode(outputs: readonly Output[], mode: DisplayMode): Output[] {
  const able = outputs.filter((each) => takesAnyMode(each) || findMode(each, mode) !== null);
  if (able.length > 0) return able;
  const names = [...new Set(outputs.flatMap(({ modes }) => modes.map(nameOf)))];
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : "";
  const detail = names.length === 0 ? "no display is connected" : `it has ${names.slice(0, maxNamed).join(", ")}${more}`;
  throw new Fault("unsupported", `no display has the mode ${nameOf({ ...mode, refreshHz: mode.refresh_hz ?? 0 })}: ${detail}`);
}

function toMode({ width, height, refreshHz }: OutputMode): DisplayMode {
  return { width, height, ...(refreshHz >= 1 ? { refresh_hz: Math.round(refreshHz * 1_000) / 1_000 } : {}) };
}

function nameOf({ width, height, refreshHz }: Pick<OutputMode, "width" | "height" | "refreshHz">): string {
  return `${width}x${height}${refreshHz > 0 ? `@${Math.round(refreshHz * 1_000) / 1_000}` : ""}`;
}
