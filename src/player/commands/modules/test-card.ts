// The command test_card: covers the content with a test card for a while.
import { done, type CommandModule } from "../command-module.ts";

const deadlineMs = 30_000;

/** @param show covers the content for this long. */
export function testCardModule(show: (durationMs: number) => void): CommandModule<"test_card"> {
  return {
    type: "test_card",
    deadlineMs,
    async run({ args }) {
      show(args.duration_ms);
      return done();
    },
  };
}
