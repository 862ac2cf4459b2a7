// The commands unpair and factory_reset: the result is reported first, then the player becomes a new one.
import type { PendingReset, ResetKind } from "../../pairing/pending-reset.ts";
import { done, type CommandModule } from "../command-module.ts";

const deadlineMs = 30_000;
const limit = { count: 1, perMs: 60_000 };

/** @param reset notes durably that the session has to end. */
export function resetModules(reset: PendingReset): readonly CommandModule[] {
  const moduleOf = <T extends "unpair" | "factory_reset">(type: T, is: ResetKind): CommandModule<T> => ({
    type,
    deadlineMs,
    limit,
    async run({ id }) {
      await reset.ask(is, id);
      return done({ is: "accepted" });
    },
    // Killed before it was noted, the player stays as it was.
    outcomeAfterRestart: ({ id }) => (reset.asked.value?.commandId === id ? done({ is: "accepted" }) : null),
  });
  return [moduleOf("unpair", "unpair"), moduleOf("factory_reset", "factory-reset")];
}
