// Writes the rows of paired players directly: ten thousand pairings would only measure the bench.
import { createKeyPair, thumbprint } from "../../src/base/jws.ts";
import { createSystemClock } from "../../src/base/clock.ts";
import { hashSecret, randomText } from "../../src/service/people/token-secrets.ts";
import { inChunks } from "../../src/service/store/chunks.ts";
import { createIds } from "../../src/service/store/ids.ts";
import type { Store } from "../../src/service/store/store.ts";

/** Adds `count` players with the tag `all` that show a layout. @returns an access token of each */
export async function addPairedPlayers(store: Store, count: number, layoutId: string): Promise<string[]> {
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
      const values = part.map(({ id, token }) => ({ hash: hashSecret(token), player_id: id, expires_at: at + 3_600_000 * 6 }));
      await db.insertInto("device_tokens").values(values).execute();
    }
  });
  return secrets.map(({ token }) => token);
}
