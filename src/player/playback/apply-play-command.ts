// Stores the effects of play commands as interventions: overrides, skips, pauses and variables.
import { Fault } from "../../base/fault.ts";
import { iso } from "../../base/time.ts";
import type { PlayCommand } from "../../protocol/device/play-commands.ts";
import { pauseAt } from "../../schedule/interventions.ts";
import type { CommandMetadata } from "../commands/command-metadata.ts";
import type { InterventionStore } from "./intervention-store.ts";
import { setVariables } from "./set-variables.ts";

/** A play that can be skipped. `startsAt` is when it began in its loop. */
export interface SkipTarget {
  zoneId: string;
  itemId: string;
  startsAt: number;
}

// A connected player gets a command within this time.
const deliveryMs = 10_000;

/**
 * Resolves with the result of the command once it is durable.
 * @param skipTargets the plays at an instant, in one zone or in all. @throws Fault `unsupported` if there is nothing to skip.
 */
export async function applyPlayCommand(
  command: PlayCommand & CommandMetadata,
  store: InterventionStore,
  now: number,
  skipTargets: (zoneId: string | undefined, now: number) => SkipTarget[],
): Promise<Record<string, unknown> | null> {
  const origin = { id: command.id, at: now };
  switch (command.type) {
    case "override.set": {
      const { layout_id, asset_id, duration_ms, level } = command.args;
      const loopsFrom = command.madeAt ?? now;
      // Screens that get the command in time end the override together. A screen that was offline shows it for its whole duration.
      // Half the duration is the most that a short override may lose by ending together.
      const isPrompt = Math.abs(now - loopsFrom) <= Math.min(deliveryMs, (duration_ms ?? 0) / 2);
      const until = duration_ms === undefined ? null : (isPrompt ? loopsFrom : now) + duration_ms;
      const show = layout_id === undefined ? { assetId: asset_id! } : { layoutId: layout_id };
      await store.add([{ ...origin, is: "override", until, level, show, loopsFrom }], now);
      return { override_id: command.id, until: iso(until) };
    }
    case "override.clear": {
      const { override_id } = command.args;
      return { ended: await store.end(({ is, id }) => is === "override" && (override_id === undefined || id === override_id), now) };
    }
    case "skip": {
      // A skip ends a pause: it asks for the next item, not for the one that is held.
      await endPause(store, now);
      const targets = skipTargets(command.args.zone_id, now);
      if (targets.length === 0) throw new Fault("unsupported", "there is no item on the screen that can be skipped");
      await store.add(
        targets.map((target) => ({ ...origin, ...target, is: "skip" as const })),
        now,
      );
      return { skipped: targets.map(({ zoneId, itemId }) => ({ zone_id: zoneId, item_id: itemId })) };
    }
    case "pause": {
      const until = now + command.args.duration_ms;
      // A pause during a pause only changes its end.
      const at = pauseAt(store.interventions.value, now)?.at ?? now;
      await store.replace(({ is }) => is === "pause", [{ ...origin, at, is: "pause", until }], now);
      return { until: iso(until) };
    }
    case "resume":
      return { ended: await endPause(store, now) };
    case "variables.set":
      return setVariables(store, command.id, command.args, now);
    case "variables.clear": {
      const { names } = command.args;
      const isCleared = (intervention: { is: string; name?: string }): boolean =>
        intervention.is === "variable" && (names?.includes(intervention.name!) ?? true);
      return { ended: await store.end(isCleared, now) };
    }
  }
}

function endPause(store: InterventionStore, now: number): Promise<number> {
  return store.end(({ is }) => is === "pause", now);
}
