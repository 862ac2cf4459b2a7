// The commands for brightness, rotation, mode and input of the displays.
import { Fault } from "../../../base/fault.ts";
import type { AskedChange } from "../../control/asked-settings.ts";
import { isEqual, isSameMode, isSamePercent, setAndRead, setOrReturn } from "../../control/setting-control.ts";
import type { Control, MachineControls } from "../../machine-controls.ts";
import { done, type CommandModule } from "../command-module.ts";

export interface DisplayModulesDependencies {
  controls: MachineControls;
  /** Stores the requested settings, so that they are applied again. */
  remember: (change: AskedChange) => Promise<void>;
}

// Three runs of a tool, each of which may take five seconds; ddcutil with several displays.
const deadlineMs = 30_000;

export function displayModules({ controls, remember }: DisplayModulesDependencies): readonly CommandModule[] {
  const brightness: CommandModule<"display.brightness"> = {
    type: "display.brightness",
    deadlineMs,
    missing: () => (controls.display.brightness === null ? noBrightness : null),
    async run({ args: { percent } }, signal) {
      const applied = await setAndRead(present(controls.display.brightness, noBrightness), percent, isSamePercent, signal);
      await remember({ brightness: percent });
      return done({ ...applied });
    },
  };
  const rotate: CommandModule<"display.rotate"> = {
    type: "display.rotate",
    deadlineMs,
    missing: () => (controls.display.rotation === null ? noScreenTool : null),
    async run({ args: { degrees } }, signal) {
      const applied = await setOrReturn(present(controls.display.rotation, noScreenTool), degrees, isEqual, 0, signal);
      await remember({ rotation: degrees });
      return done({ ...applied });
    },
  };
  const mode: CommandModule<"display.mode"> = {
    type: "display.mode",
    deadlineMs,
    missing: () => (controls.display.mode === null ? noScreenTool : null),
    async run({ args }, signal) {
      const applied = await setOrReturn(present(controls.display.mode, noScreenTool), args.mode, isSameMode, null, signal);
      await remember({ mode: args.mode });
      return done({ ...applied });
    },
  };
  // Not remembered: people choose the input with the remote control too.
  const input: CommandModule<"display.input"> = {
    type: "display.input",
    deadlineMs,
    missing: () => (controls.display.input === null ? noInput : null),
    async run({ args }, signal) {
      return done({ ...(await setAndRead(present(controls.display.input, noInput), args.input, isEqual, signal)) });
    },
  };
  return [brightness, rotate, mode, input];
}

const noBrightness = "it needs a backlight that the program may change, or ddcutil and a monitor with DDC/CI";
const noScreenTool = "it needs wlr-randr and a Wayland compositor, or xrandr and an X server";
const noInput = "it needs ddcutil and a monitor with DDC/CI, or cec-ctl and a TV with CEC";

/** A display may have been disconnected since the command was announced. */
function present<T>(control: Control<T> | null, reason: string): Control<T> {
  if (control === null) throw new Fault("unsupported", reason);
  return control;
}
