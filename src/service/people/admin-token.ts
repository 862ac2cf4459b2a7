// The admin token: an owner's token with all scopes, in a file of the data folder that only the service's user can read.
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { syncFolder } from "../../base/files/durable-file.ts";
import type { Log } from "../../base/log.ts";
import { authenticate } from "./authentication.ts";
import { issueToken } from "./issue-token.ts";
import { scopesOfRole, type Operator } from "./operator.ts";
import { insertMember } from "./store/teams.ts";
import { createUser } from "./store/users.ts";
import type { Nodes } from "../nodes/nodes.ts";
import type { MakeId } from "../store/ids.ts";
import { ProblemError } from "../http/problem.ts";
import type { Db, Store } from "../store/store.ts";
import { hasErrorCode } from "../../base/fault.ts";

interface Dependencies {
  store: Store;
  nodes: Pick<Nodes, "isShared">;
  makeId: MakeId;
  clock: Clock;
  log: Log;
}

/**
 * Ensures that there is a team with an owner, and that `folder`/admin-token contains an owner's token with all scopes, including
 * scopes that a newer version added. A file that is missing or contains no valid token is replaced: an administrator who lost
 * access deletes the file and restarts the service. Earlier tokens stay valid. The token in the file is the machine's: its sign-in
 * links are for anybody, and for the whole person.
 *
 * Of several nodes only the one that creates the team writes a token: the others need no file. There an administrator who lost access
 * creates an empty file and restarts the node.
 */
export async function ensureAdminToken({ store, nodes, makeId, clock, log }: Dependencies, folder: string): Promise<void> {
  const file = join(folder, "admin-token");
  const existing = (await readFile(file, "utf8").catch(ignoreMissing))?.trim();
  const { isFirst, owner } = await store.write((db) => ensureOwner(db, makeId, clock));
  const operator = existing === undefined ? null : await operatorOfToken(store.db, clock, existing);
  if (operator?.role === "owner") {
    const all = JSON.stringify(scopesOfRole("owner"));
    await store.db.updateTable("tokens").set({ scopes: all }).where("id", "=", operator.tokenId).where("scopes", "<>", all).execute();
    await markAsMachine(store.db, nodes, operator.tokenId);
    return;
  }
  if (nodes.isShared && !isFirst && existing === undefined) return;
  const details = { name: "admin-token file", scopes: scopesOfRole("owner"), createdBy: null, expiresAt: null };
  const { id, secret } = await issueToken({ makeId, clock }, store.db, { ...owner, ...details });
  await markAsMachine(store.db, nodes, id);
  await writeSecret(file, `${secret}\n`);
  if (isFirst) log.info({ path: file }, "wrote the first access token");
  else log.warn({ path: file }, "wrote a new access token, since the file contained no valid owner's token");
}

/** Makes this the machine's token, in place of one that was in the file before. Of several nodes each may have a file. */
async function markAsMachine(db: Db, { isShared }: Pick<Nodes, "isShared">, tokenId: string): Promise<void> {
  const marked = db.updateTable("tokens").set({ is_machine: 1 }).where("id", "=", tokenId);
  await marked.where("is_machine", "=", 0).execute();
  if (isShared) return;
  const others = db.updateTable("tokens").set({ is_machine: 0 }).where("id", "<>", tokenId);
  await others.where("is_machine", "=", 1).execute();
}

/** Returns the first owner of the oldest team. Creates a missing team or owner; a new owner gets the tokens that have no user. */
async function ensureOwner(db: Db, makeId: MakeId, clock: Clock): Promise<{ isFirst: boolean; owner: { teamId: string; userId: string } }> {
  const now = Math.trunc(clock.now());
  const isFirst = (await db.selectFrom("teams").select("id").where("deleted_at", "is", null).executeTakeFirst()) === undefined;
  if (isFirst) {
    await db
      .insertInto("teams")
      .values({
        id: makeId("team"),
        name: "Team",
        safe_asset_id: null,
        approval: "none",
        created_at: now,
        updated_at: now,
        deleted_at: null,
      })
      .execute();
  }
  const teamsWithoutMembers = await db
    .selectFrom("teams")
    .select("id")
    .where("deleted_at", "is", null)
    .where((row) => row.not(row.exists(row.selectFrom("members").select("user_id").whereRef("members.team_id", "=", "teams.id"))))
    .execute();
  for (const { id: team_id } of teamsWithoutMembers) {
    const user = await createUser({ makeId, clock }, db, { name: "Owner", email: null });
    await insertMember(db, team_id, user.id, "owner", now);
    await db.updateTable("tokens").set({ user_id: user.id }).where("team_id", "=", team_id).where("user_id", "is", null).execute();
  }
  const owner = await db
    .selectFrom("members")
    .innerJoin("teams", "teams.id", "members.team_id")
    .select(["members.team_id as teamId", "members.user_id as userId"])
    .where("teams.deleted_at", "is", null)
    .where("members.role", "=", "owner")
    .orderBy("teams.created_at")
    .orderBy("teams.id")
    .orderBy("members.created_at")
    .orderBy("members.user_id")
    .executeTakeFirstOrThrow();
  return { isFirst, owner };
}

async function operatorOfToken(db: Db, clock: Clock, token: string): Promise<Operator | null> {
  try {
    return await authenticate(db, clock, token);
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}

/** Atomically writes a file that only its owner can read. */
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

function ignoreMissing(error: unknown): undefined {
  if (hasErrorCode(error, "ENOENT")) return undefined;
  throw error;
}
