// Asks the player's schedule for windows and reasons, for the service.
import type { Calendar } from "../service/schedule/calendar.ts";

export const calendar: Calendar = {
  async windowAfter(schedule, zone, instant, dates) {
    const { windowAfter } = await import("../schedule/calendar/windows.ts");
    return windowAfter(schedule, zone, instant, dates);
  },
  async why(desired, records, deviceZone, instant) {
    const { explainAt } = await import("../schedule/program.ts");
    const ready = { desired, files: new Map(desired.assets.map(({ id, sha256 }) => [id, sha256])) };
    return explainAt(ready, instant, { deviceTimeZone: deviceZone, interventions: records }).map(({ layoutId, ...reason }) => ({
      ...reason,
      layout_id: layoutId,
    }));
  },
};
