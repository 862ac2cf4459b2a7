// The command display.power: switches the display by hand, over its opening hours.
import type { DisplayPower } from "../../control/display-power.ts";
import { done, type CommandModule } from "../command-module.ts";

const deadlineMs = 30_000;

export function displayPowerModule(displayPower: Pick<DisplayPower, "missing" | "setByHand">): CommandModule<"display.power"> {
  return {
    type: "display.power",
    deadlineMs,
    missing: () => displayPower.missing,
    async run({ args }, signal) {
      const { power, until } = await displayPower.setByHand(args.power, args.duration_ms, signal);
      return done({ asked: args.power, read_back: power, until });
    },
  };
}
