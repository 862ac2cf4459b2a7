// The alert settings in memory, where another node deletes a team.
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { AlertSettingsBook, defaultRules } from "../../../src/service/alerts/settings.ts";
import { LoneNode } from "../../../src/service/nodes/lone-node.ts";
import type { AnnouncementListener, Nodes } from "../../../src/service/nodes/nodes.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { openTestStore } from "../test-database.ts";

test("[ALR14] the settings of a deleted team leave the memory of the node that deletes it after the commit, and that of the other nodes", async () => {
  await using folder = await temporaryFolder();
  await using store = await openTestStore(folder.path);
  const clock = new FakeClock();
  const announced: { teamIds: string[]; alertIds: string[] }[] = [];
  const listeners: AnnouncementListener<"alerts.changed">[] = [];
  const missed: (() => void | Promise<void>)[] = [];
  const nodes: Nodes = Object.assign(new LoneNode("nod_1", { clock, log: silentLog }), {
    announce: async (_db: unknown, _kind: unknown, body: unknown) => announced.push(body as (typeof announced)[number]),
    onAnnounced: (_kind: unknown, listener: unknown) => void listeners.push(listener as (typeof listeners)[number]),
    onMissed: (listener: () => void | Promise<void>) => void missed.push(listener),
  });
  const team = { safe_asset_id: null, approval: "none" as const, created_at: 0, updated_at: 0, deleted_at: null };
  const rules = { ...defaultRules, recipients: ["screens@example.com"] };
  const [first, second] = ["team_1", "team_2"];
  const own = await AlertSettingsBook.open(store, nodes);
  for (const id of [first, second]) {
    await store.write(async (db) => {
      await db
        .insertInto("teams")
        .values({ id, name: id, ...team })
        .execute();
      await own.change(db, id, rules, 0);
    });
    own.apply(id, rules);
  }
  const [other, late] = [await AlertSettingsBook.open(store, nodes), await AlertSettingsBook.open(store, nodes)];
  const all = () => [own, other, late].map((book) => [first, second].map((id) => book.of(id).recipients.length));
  const drop = await store.write((db) => own.delete(db, first));
  expect(all()).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
  drop();
  // The other node hears of it; the late one has missed it.
  await listeners[1]!(announced.at(-1)!, 1);
  await missed[2]!();
  expect(all()).toEqual([
    [0, 1],
    [0, 1],
    [0, 1],
  ]);
});
