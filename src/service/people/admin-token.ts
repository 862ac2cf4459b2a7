// The way in: a token with all that an owner may do, in a file of the data folder that only its owner can read.
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { syncFolder } from "../../base/files/durable-file.ts";
import type { Log } from "../../base/log.ts";
import { authenticate, generateToken, hashSecret, tokenHint, scopesOfRole, type Operator } from "./access.ts";
import type { MakeId } from "../store/ids.ts";
import { ProblemError } from "../http/problem.ts";
import type { Db, Store } from "../store/store.ts";

/**
 * Makes sure that there is a team with an owner, and that `folder`/admin-token holds a token of an owner's with all scopes,
 * those that came with a newer version included. A file that is missing or holds no valid token is written anew: deleting it
 * and starting again is the way back in. Earlier tokens stay valid.
 */
export async function ensureAdminToken(store: Store, folder: string, makeId: MakeId, clock: Clock, log: Log): Promise<void> {
  const file = join(folder, "admin-token");
  const present = (await readFile(file, "utf8").catch(ifMissing))?.trim();
  const { isFirst, owner } = await store.write((db) => ensureOwner(db, makeId, Math.trunc(clock.now())));
  const operator = present === undefined ? null : await operatorOf(store.db, clock, present);
  if (operator?.role === "owner") {
    const all = JSON.stringify(scopesOfRole("owner"));
    await store.db.updateTable("tokens").set({ scopes: all }).where("id", "=", operator.tokenId).where("scopes", "<>", all).execute();
    return;
  }
  const token = generateToken();
  const row = {
    id: makeId("tok"),
    ...owner,
    name: "admin-token file",
    hash: hashSecret(token),
    hint: tokenHint(token),
    scopes: JSON.stringify(scopesOfRole("owner")),
    created_at: Math.trunc(clock.now()),
    created_by: null,
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
  };
  await store.db.insertInto("tokens").values(row).execute();
  await writeSecret(file, `${token}\n`);
  if (isFirst) log.info({ path: file }, "wrote the first access token");
  else log.warn({ path: file }, "wrote a new access token, since the file held none of an owner's");
}

/** The oldest team's first owner, made if need be. A team of a version without people gets one, and its tokens theirs. */
async function ensureOwner(
  db: Db,
  makeId: MakeId,
  now: number,
): Promise<{ isFirst: boolean; owner: { team_id: string; user_id: string } }> {
  const isFirst = (await db.selectFrom("teams").select("id").where("deleted_at", "is", null).executeTakeFirst()) === undefined;
  if (isFirst) {
    await db
      .insertInto("teams")
      .values({ id: makeId("team"), name: "Team", created_at: now, updated_at: now, deleted_at: null })
      .execute();
  }
  const bare = await db
    .selectFrom("teams")
    .select("id")
    .where("deleted_at", "is", null)
    .where((row) => row.not(row.exists(row.selectFrom("members").select("user_id").whereRef("members.team_id", "=", "teams.id"))))
    .execute();
  for (const { id: team_id } of bare) {
    const user = { id: makeId("usr"), name: "Owner", email: null, created_at: now, updated_at: now };
    await db.insertInto("users").values(user).execute();
    await db.insertInto("members").values({ team_id, user_id: user.id, role: "owner", created_at: now }).execute();
    await db.updateTable("tokens").set({ user_id: user.id }).where("team_id", "=", team_id).where("user_id", "is", null).execute();
  }
  const owner = await db
    .selectFrom("members")
    .innerJoin("teams", "teams.id", "members.team_id")
    .select(["members.team_id", "members.user_id"])
    .where("teams.deleted_at", "is", null)
    .where("members.role", "=", "owner")
    .orderBy("teams.created_at")
    .orderBy("teams.id")
    .orderBy("members.created_at")
    .orderBy("members.user_id")
    .executeTakeFirstOrThrow();
  return { isFirst, owner };
}

async function operatorOf(db: Db, clock: Clock, token: string): Promise<Operator | null> {
  try {
    return await authenticate(db, clock, `Bearer ${token}`);
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}

/** Writes a file that only its owner may read, whole or not at all. */
async function writeSecret(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(`${path}.new`, "w", 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncFolder(dirname(path));
}

function ifMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}
