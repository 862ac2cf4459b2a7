// Asks the player's schedule what a state will show, for the service: the one place that knows both.
import type { Foretell } from "../service/schedule/forecast.ts";

/** By the state as it is wanted: every file counts as at hand. The schedule is read at the first question, no start waits for it. */
export const foretell: Foretell = async (desired, records, deviceZone, from, until) => {
  const { forecast } = await import("../schedule/program.ts");
  const ready = { desired, files: new Map(desired.assets.map(({ id, sha256 }) => [id, sha256])) };
  return forecast(ready, from, until, { deviceTimeZone: deviceZone, interventions: records });
};
