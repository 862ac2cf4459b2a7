// Choosing among the modes of outputs as the tools list them.
import { expect, test } from "vitest";
import { findMode, type Output, type OutputMode, outputsWithMode } from "../../../../src/host/linux/display-controls/outputs.ts";

function modeOf(width: number, height: number, refreshHz: number, isCurrent = false): OutputMode {
  return { width, height, refreshHz, isPreferred: isCurrent, isCurrent };
}

function outputOf(name: string, modes: OutputMode[]): Output {
  return { name, make: null, model: null, isEnabled: true, rotation: 0, modes };
}

test("[DSP4] a display has a mode only with the width and the height that are asked for, not with one of them", () => {
  const modes = [modeOf(1920, 1080, 60, true), modeOf(1920, 1200, 75), modeOf(1440, 1080, 100), modeOf(1920, 1080, 59.94)];
  const monitor = outputOf("HDMI-A-1", modes);
  expect(findMode(monitor, { width: 1920, height: 1080 })).toBe(modes[0]);
  expect(findMode(monitor, { width: 1920, height: 1080, refresh_hz: 59.9 })).toBe(modes[3]);
  expect(findMode(monitor, { width: 1920, height: 1080, refresh_hz: 75 })).toBeNull();
  for (const size of [
    { width: 1440, height: 1200 },
    { width: 1920, height: 720 },
    { width: 1280, height: 1080 },
  ]) {
    expect(findMode(monitor, size)).toBeNull();
    expect(() => outputsWithMode([monitor], size)).toThrow(`no display has the mode ${size.width}x${size.height}`);
  }
  const other = outputOf("HDMI-A-2", [modeOf(1920, 720, 60)]);
  expect(outputsWithMode([monitor, other], { width: 1920, height: 720 })).toEqual([other]);
});
