// Uploading play events to a service that does not know their newest fields.
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAbort } from "../../../src/base/fault.ts";
import { silentLog } from "../../../src/base/log.ts";
import { PlayLog } from "../../../src/player/proof/play-log.ts";
import { PlayEvent, type PlayEventReceipt } from "../../../src/protocol/device/play-events.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { schedule } from "../../schedule/schedules.ts";
import { t0, iso, content, SimulatedPlayer } from "../playback/simulated-player.ts";

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
  await expect.poll(() => kept, { timeout: 10_000 }).toHaveLength(events.length - 1);
  expect(kept).toEqual(events.slice(1).map(({ layer: _layer, override_id: _override, ...event }) => event));
  expect(broken).toBe(0);
  end.abort();
  await running;
  await playLog.close();
});
