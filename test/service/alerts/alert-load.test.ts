// What alerts cost with many players.
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { AlertEngine } from "../../../src/service/alerts/engine.ts";
import { AlertSettingsBook } from "../../../src/service/alerts/settings.ts";
import { EventJournal } from "../../../src/service/events/event-journal.ts";
import { PlayerProblems } from "../../../src/service/fleet/problems/problems.ts";
import { Presence } from "../../../src/service/fleet/presence/presence.ts";
import { LoneNode } from "../../../src/service/nodes/lone-node.ts";
import { createIds } from "../../../src/service/store/ids.ts";
import { isOnPostgres, openTestStore } from "../test-database.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { heartbeat } from "../harness.ts";
import { writePlayers } from "../fleet/rollouts/many-players.ts";

const count = 500;

test("[ALR13] looking at all players needs no query, as long as nothing changes; when all go offline, each has one alert", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const devices = await writePlayers(folder.path, clock, count);
  await using store = await openTestStore(join(folder.path));
  let queries = 0;
  const counted = store.db.withPlugin({
    transformQuery: ({ node }) => {
      queries += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const makeId = createIds(clock);
  const presence = await Presence.open(store.telemetry, clock, new LoneNode("nod_1", { clock, log: silentLog }));
  const problems = new PlayerProblems(presence, clock);
  const events = new EventJournal("epoch", clock, makeId, new LoneNode("nod_test", { clock, log: silentLog }));
  const nodes = new LoneNode("nod_test", { clock, log: silentLog });
  const settings = await AlertSettingsBook.open(store, nodes);
  const parts = { nodes, clock, log: silentLog, events, makeId, presence, problems, settings, canMail: true };
  const engine = await AlertEngine.open({ ...parts, store: { ...store, db: counted } });
  const beat = () => {
    for (const { playerId: id } of devices) {
      presence.recordHeartbeat(id, heartbeat({ temperature_c: 50 }), "poll");
      engine.recordHeartbeat({ id, created_at: 0 });
    }
  };
  const stopping = new AbortController();
  const running = engine.run(stopping.signal).catch(() => undefined);
  const look = async () => {
    clock.advance(10_000);
    await eventually(() => clock.pendingWaits > 0);
  };
  queries = 0;
  for (let round = 0; round < 20; round += 1) {
    beat();
    await look();
  }
  // Where there are other nodes, each look asks once for players, and once for alerts, that these have changed.
  expect(queries).toBe(isOnPostgres ? 40 : 0);
  const open = async () =>
    Number(
      (
        await store.db
          .selectFrom("alerts")
          .select((row) => row.fn.countAll().as("count"))
          .executeTakeFirstOrThrow()
      ).count,
    );
  while ((await open()) < count) await look();
  for (let round = 0; round < 10; round += 1) await look();
  expect(await open()).toBe(count);
  stopping.abort();
  await running;
});
