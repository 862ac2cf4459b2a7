// Uploading play events to a service that does not know their newest fields.
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAbort } from "../../../src/base/fault.ts";
import { silentLog } from "../../../src/base/log.ts";
import { deliverBatch } from "../../../src/player/proof/deliver-plays.ts";
import { PlayLog } from "../../../src/player/proof/play-log.ts";
import { PlayEvent, type PlayEventReceipt } from "../../../src/protocol/device/play-events.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { playEvent } from "../../support/states.ts";
import { schedule } from "../../schedule/schedules.ts";
import { t0, iso, content, SimulatedPlayer } from "../playback/simulated-player.ts";

test("[DHR32] a service that does not know the result not_shown gets such plays as skipped, with the same reason", async () => {
  const shown = { ...playEvent(), layer: "default" as const, override_id: null };
  const dark = { ...shown, id: playEvent().id, result: "not_shown" as const, reason: "display_off" };
  const olderResults = ["completed", "cut", "failed", "skipped"];
  for (const knowsLayers of [true, false]) {
    const kept: PlayEvent[] = [];
    const deliver = async (events: PlayEvent[]): Promise<PlayEventReceipt> => {
      const rejected = events.flatMap((event, index) => {
        const layers = knowsLayers ? [] : Object.keys(event).filter((field) => field === "layer" || field === "override_id");
        const pointers = [...(olderResults.includes(event.result) ? [] : ["result"]), ...layers].map((field) => `/${field}`);
        if (pointers.length === 0) kept.push(event);
        return pointers.length === 0 ? [] : [{ index, id: event.id, errors: pointers.map((pointer) => ({ pointer, detail: "unknown" })) }];
      });
      return { accepted: events.length - rejected.length, duplicates: 0, rejected };
    };
    expect(await deliverBatch([shown, dark], deliver, new AbortController().signal)).toMatchObject({ accepted: 2, rejected: [] });
    const { layer: _layer, override_id: _override, ...older } = dark;
    expect(kept.find(({ id }) => id === dark.id)).toEqual({ ...(knowsLayers ? dark : older), result: "skipped" });
  }
});

test("[POP22] a service that does not know a field of an event gets the event without it", async () => {
  await using folder = await temporaryFolder();
  const { ready } = content(({ other }) => [schedule(other.id, iso(t0), null)]);
  const player = await SimulatedPlayer.start(folder.path, ready);
  await player.runTo(t0 + 30_000);
  const events = await player.stop(folder.path);
  expect(events.length).toBeGreaterThan(3);
  const clock = new FakeClock(t0 + 60_000);
  const { playLog } = await PlayLog.open(join(folder.path, "plays"), clock, silentLog);
  const older = PlayEvent.omit({ layer: true, override_id: true });
  const kept: unknown[] = [];
  let broken = 1;
  const deliver = async (events: PlayEvent[]): Promise<PlayEventReceipt> => {
    const rejected: PlayEventReceipt["rejected"] = [];
    for (const [index, event] of events.entries()) {
      const parsed = older.safeParse(event);
      // One event is invalid for another reason. It is dropped and not sent again.
      if (parsed.success && event.id !== events[0]!.id) kept.push(parsed.data);
      else {
        const fields = Object.keys(event).filter((field) => field === "layer" || field === "override_id");
        if (fields.length === 0) broken -= 1;
        const pointers = fields.length === 0 ? ["/duration_ms"] : fields.map((field) => `/${field}`);
        rejected.push({ index, id: event.id, errors: pointers.map((pointer) => ({ pointer, detail: "unknown field" })) });
      }
    }
    return { accepted: events.length - rejected.length, duplicates: 0, rejected };
  };
  const end = new AbortController();
  const running = playLog.run(deliver, end.signal).catch((error: unknown) => {
    if (!isAbort(error)) throw error;
  });
  await expect.poll(() => kept).toHaveLength(events.length - 1);
  expect(kept).toEqual(events.slice(1).map(({ layer: _layer, override_id: _override, ...event }) => event));
  expect(broken).toBe(0);
  end.abort();
  await running;
  await playLog.close();
});
