// Which webhooks are warned of: test/service/events/webhook-health.long.test.ts has the hour with a real receiver.
import { expect, test } from "vitest";
import { markWarned } from "../../../src/service/events/webhooks/health.ts";
import type { WebhookRow } from "../../../src/service/store/tables/events.ts";
import type { Store } from "../../../src/service/store/store.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { openTestStore } from "../test-database.ts";

const hour = 3_600_000;
const now = 100 * hour;

/** Stores a webhook of a team of its own, with these values of its health. */
async function storeWebhook({ db }: Store, id: string, health: Partial<WebhookRow>): Promise<void> {
  const team_id = `team_${id}`;
  const team = { name: id, safe_asset_id: null, approval: "none", created_at: 1, updated_at: 1, deleted_at: null };
  await db
    .insertInto("teams")
    .values({ id: team_id, ...team })
    .execute();
  const unknown = { disabled_reason: null, last_success_at: null, failing_since: null, last_error: null, warned_at: null };
  const never = { paused_at: null, paused_reason: null, backlog_full_since: null };
  const made = { id, team_id, created_at: 1, updated_at: 1, name: id, url: "http://127.0.0.1:9/", events: "[]", secrets: "[]" };
  await db
    .insertInto("webhooks")
    .values({ ...made, ...unknown, ...never, status: "enabled", ...health })
    .execute();
}

test("[WHK14] an enabled webhook that has failed for an hour is warned of once", async () => {
  await using folder = await temporaryFolder();
  await using store = await openTestStore(folder.path);
  await storeWebhook(store, "well", {});
  await storeWebhook(store, "briefly", { failing_since: now - hour + 1 });
  await storeWebhook(store, "long", { failing_since: now - hour });
  await storeWebhook(store, "paused", { failing_since: now - hour, status: "paused" });
  const warned = async (at: number) => (await markWarned(store.db, at)).map(({ data }) => data["webhook_id"]);
  expect(await warned(now)).toEqual(["long"]);
  expect(await warned(now)).toEqual([]);
  expect(await warned(now + 1)).toEqual(["briefly"]);
});
