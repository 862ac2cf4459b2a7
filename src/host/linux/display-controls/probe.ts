// Finds the machine's displays and the controls of each: compositor or X server first, then CEC, backlight, DDC/CI.
import type { Control, DisplayControls, Power } from "../../../player/machine-controls.ts";
import { probeBacklight } from "./backlight.ts";
import { type CecControls, probeCec } from "./cec.ts";
import { probeDdc } from "./ddc.ts";
import { describeOutput } from "./outputs.ts";
import { forEach, type Tools } from "./tools.ts";
import { probeWayland } from "./wayland.ts";
import { probeX11 } from "./x11.ts";

export interface ProbedDisplays {
  controls: DisplayControls;
  /** The power of the outputs, as the compositor or the X server tells, without that of a TV. */
  outputPower: Control<Power> | null;
}

/** Never rejects, except with an AbortError. */
export async function probeDisplays(tools: Tools, signal: AbortSignal): Promise<ProbedDisplays> {
  // The tools of CEC and DDC/CI use other wires, so they do not disturb each other.
  const [screen, cec, backlight, ddc] = await Promise.all([
    probeWayland(tools, signal).then((controls) => controls ?? probeX11(tools, signal)),
    probeCec(tools, signal),
    probeBacklight(tools.root),
    probeDdc(tools, signal),
  ]);
  const outputPower = screen?.power ?? null;
  const input = ddc?.input ?? cec?.input ?? null;
  return {
    controls: {
      power: combinePower(outputPower, cec),
      brightness: backlight ?? ddc?.brightness ?? null,
      rotation: keepOff(screen?.rotation ?? null, outputPower),
      mode: keepOff(screen?.mode ?? null, outputPower),
      input,
      inputs: input === null ? [] : input === ddc?.input ? ddc.inputs : (cec?.inputs ?? []),
      outputs: (screen?.outputs ?? []).map(describeOutput),
    },
    outputPower,
  };
}

/** An output that is off gets on by a rotation or a mode: seen with wlr-randr 0.4.1 on labwc 0.8.3. It must stay off. */
function keepOff<T>(control: Control<T> | null, power: Control<Power> | null): Control<T> | null {
  if (control === null || power === null) return control;
  return {
    ...control,
    async set(value, signal) {
      const isOff = (await power.read(signal)) === "off";
      await control.set(value, signal);
      if (isOff) await power.set("off", signal);
    },
  };
}

/** Both the output and the TV: a TV without a signal may stay on with a notice, and one in standby shows nothing. */
function combinePower(output: Control<Power> | null, cec: CecControls | null): Control<Power> | null {
  if (cec === null) return output;
  return {
    by: output === null ? cec.by : `${output.by} and ${cec.by}`,
    set: (power, signal) => forEach(output === null ? [cec] : [output, cec], (each) => each.set(power, signal)),
    read: async (signal) => {
      const [screen, tv] = [(await output?.read(signal)) ?? null, await cec.read(signal)];
      if (screen === "off" || tv === "off") return "off";
      return tv === "changing" ? null : (tv ?? screen);
    },
  };
}
