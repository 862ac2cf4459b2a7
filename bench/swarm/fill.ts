// Writes the rows of paired players directly into a service's database: thousands of pairings would only measure the pairing.
import { createSystemClock } from "../../src/base/clock.ts";
import { createKeyPair, thumbprint } from "../../src/base/jws.ts";
import { hashSecret, randomText } from "../../src/service/people/token-secrets.ts";
import { inChunks } from "../../src/service/store/chunks.ts";
import { createIds } from "../../src/service/store/ids.ts";
import type { Store } from "../../src/service/store/store.ts";

/** A player of the swarm, with the access token of its device. */
export interface FilledPlayer {
  id: string;
  token: string;
}

const tokenLifetimeMs = 6 * 3_600_000;

/** Adds `count` players with the layout and the tag `all`. The service must not run on SQLite meanwhile. */
export async function fillPlayers(store: Store, layoutId: string, count: number): Promise<FilledPlayer[]> {
  const makeId = createIds(createSystemClock());
  const { id: team_id } = await store.db.selectFrom("teams").select("id").executeTakeFirstOrThrow();
  const at = Date.now();
  const keys = createKeyPair();
  const rows = Array.from({ length: count }, (_, place) => ({
    id: makeId("plr"),
    team_id,
    name: `Screen ${place}`,
    layout_id: layoutId,
    tags: '["all"]',
    timezone: null,
    variables: "{}",
    orientation: "landscape",
    recurring_commands: "[]",
    public_key: keys.publicKey,
    thumbprint: thumbprint(keys.publicKey),
    reported: JSON.stringify({ public_key: keys.publicKey, player_version: "1", hardware: null, timezone: "UTC", resolution: null }),
    revision: "",
    created_at: at,
    updated_at: at,
    removed_at: null,
  }));
  const secrets = rows.map(({ id }) => ({ id, token: `sgn_dev_${randomText(43)}` }));
  await store.write(async (db) => {
    for (const part of inChunks(rows)) await db.insertInto("players").values(part).execute();
    for (const part of inChunks(rows)) {
      await db
        .insertInto("player_tags")
        .values(part.map(({ id }) => ({ player_id: id, team_id, tag: "all" })))
        .execute();
    }
    for (const part of inChunks(secrets)) {
      const values = part.map(({ id, token }) => ({ hash: hashSecret(token), player_id: id, expires_at: at + tokenLifetimeMs }));
      await db.insertInto("device_tokens").values(values).execute();
    }
  });
  return secrets;
}
