// Teams: what everything belongs to. A token acts in one; its user may be in several.
import { z } from "zod";
import { CreatedToken, OwnTeam, TeamChange, type Role } from "../../../protocol/operator/people.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { id } from "../../../protocol/common.ts";
import { emptyBin } from "../../cleanup/bin.ts";
import { grantsExpireAt } from "../../people/grants.ts";
import { pageOf } from "../../http/paging.ts";
import { issueToken } from "../../people/issue-token.ts";
import { updatePendingInvitations, selectTeams } from "../../people/people.ts";
import { showTeam } from "../../people/people-resources.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Db } from "../../store/store.ts";
import type { TeamRow } from "../../store/people-tables.ts";
import { change, found, NoContent, operation, type Operation, type OperatorContext } from "../operation.ts";

const params = z.strictObject({ id: id("team") });
const version = ({ id: teamId, name, updated_at }: OwnTeam) => ({ id: teamId, name, updated_at });
const MadeTeam = OwnTeam.extend({ token: CreatedToken });

export const teamOperations: readonly Operation[] = [
  operation({
    name: "createTeam",
    tag: "teams",
    method: "POST",
    path: "/teams",
    summary: "Create a team",
    description:
      "You become its owner. `token` acts in it, with the scopes and the end of the token you call with; its secret is shown this once.",
    caller: "operator",
    scope: "teams:write",
    body: TeamChange,
    example: { name: "Airport" },
    status: 201,
    output: MadeTeam,
    errors: ["invalid"],
    version,
    async run(context, { body }) {
      const { parts } = context;
      return change(context, async (db) => {
        const { operator } = context;
        const now = Math.trunc(parts.clock.now());
        const row: TeamRow = { id: parts.makeId("team"), name: body.name, created_at: now, updated_at: now, deleted_at: null };
        await db.insertInto("teams").values(row).execute();
        const member = { team_id: row.id, user_id: operator.userId, role: "owner" satisfies Role, created_at: now };
        await db.insertInto("members").values(member).execute();
        const { userId, scopes } = operator;
        const wish = { teamId: row.id, userId, name: "First token", scopes, createdBy: userId, expiresAt: grantsExpireAt(operator) };
        return { result: { ...show({ ...row, role: "owner" }), token: await issueToken(parts, db, wish) } };
      });
    },
  }),
  operation({
    name: "listTeams",
    tag: "teams",
    method: "GET",
    path: "/teams",
    summary: "List your teams",
    description: "Those that the token's user is in, newest first. The token itself acts in one of them: see `GET /me`.",
    caller: "operator",
    scope: "teams:read",
    query: PageQuery,
    status: 200,
    output: page(OwnTeam),
    errors: ["invalid"],
    run: ({ parts, operator }, { query }) => pageOf(selectTeams(parts.store.db, operator.userId), query, show),
  }),
  operation({
    name: "getTeam",
    tag: "teams",
    method: "GET",
    path: "/teams/{id}",
    summary: "Read a team",
    description: "One that the token's user is in.",
    caller: "operator",
    scope: "teams:read",
    params,
    status: 200,
    output: OwnTeam,
    errors: ["not-found"],
    version,
    run: (context, input) => read(context, input.params),
  }),
  operation({
    name: "updateTeam",
    tag: "teams",
    method: "PATCH",
    path: "/teams/{id}",
    summary: "Rename a team",
    description: "The team that the token acts in.",
    caller: "operator",
    scope: "teams:write",
    params,
    body: TeamChange,
    example: { name: "Airport, hall B" },
    status: 200,
    output: OwnTeam,
    errors: ["not-found", "invalid", "precondition-failed"],
    version,
    current: async (context, given) => version(await readActing(context, given)),
    async run(context, input) {
      const { parts, operator } = context;
      return change(context, async (db) => {
        const before = await readActing(context, input.params, db);
        if (before.name === input.body.name) return { result: before };
        const next = { name: input.body.name, updated_at: Math.trunc(parts.clock.now()) };
        const row = await db.updateTable("teams").set(next).where("id", "=", before.id).returningAll().executeTakeFirstOrThrow();
        return { result: show({ ...row, role: operator.role }) };
      });
    },
  }),
  operation({
    name: "deleteTeam",
    tag: "teams",
    method: "DELETE",
    path: "/teams/{id}",
    summary: "Delete a team",
    description: "Once it is empty: players, layouts, playlists and assets have to go first. All its tokens end, yours included.",
    agent: "Use it only on an owner's explicit wish; your own token ends with it.",
    caller: "operator",
    scope: "teams:write",
    params,
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use", "precondition-failed"],
    current: async (context, given) => version(await readActing(context, given)),
    async run(context, input) {
      const { parts } = context;
      let ended: string[] = [];
      let emptied: string[] = [];
      await change(context, async (db) => {
        const { id: teamId } = await readActing(context, input.params, db);
        await checkEmpty(db, teamId);
        const now = Math.trunc(parts.clock.now());
        const { files, playerIds } = await emptyBin(db, { teamId }, now);
        parts.sweeper.mark(files);
        emptied = playerIds;
        await db.updateTable("teams").set({ deleted_at: now, updated_at: now }).where("id", "=", teamId).execute();
        await db.deleteFrom("members").where("team_id", "=", teamId).execute();
        await updatePendingInvitations(db, teamId).set({ revoked_at: now }).execute();
        const tokens = await db
          .updateTable("tokens")
          .set({ revoked_at: now })
          .where("team_id", "=", teamId)
          .where("revoked_at", "is", null)
          .returning("id")
          .execute();
        ended = tokens.map((token) => token.id);
        return { result: undefined };
      });
      parts.tokens.notifyEnded(ended);
      for (const playerId of emptied) await parts.presence.deletePlayer(playerId);
    },
  }),
];

/**
 * Makes sure that a team of the path is the one that the token acts in.
 * @throws Refusal 404 for a team of others; 403 for another of the user's own, which needs another token.
 */
export async function readActing(context: OperatorContext, { id: teamId }: { id: string }, db = context.parts.store.db): Promise<OwnTeam> {
  const team = await read(context, { id: teamId }, db);
  if (team.id !== context.teamId) throw new ProblemError("forbidden", "This token acts in another of your teams: use one of this team's");
  return team;
}

async function read({ parts, operator }: OperatorContext, { id: teamId }: { id: string }, db = parts.store.db): Promise<OwnTeam> {
  return show(found(await selectTeams(db, operator.userId).where("id", "=", teamId).executeTakeFirst(), "team"));
}

function show(row: TeamRow & { role: string }): OwnTeam {
  return { ...showTeam(row), role: row.role as Role };
}

/** @throws Refusal 409 saying what the team still has, or that it is the last one. */
async function checkEmpty(db: Db, teamId: string): Promise<void> {
  const refuse = (what: string) => new ProblemError("in-use", `The team still has ${what}: delete them first`);
  const players = db.selectFrom("players").select("id").where("team_id", "=", teamId).where("removed_at", "is", null);
  if ((await players.limit(1).executeTakeFirst()) !== undefined) throw refuse("players");
  for (const table of ["layouts", "playlists", "schedules", "assets"] as const) {
    // What is in the bin goes with the team.
    const rows = db.selectFrom(table).select("id").where("team_id", "=", teamId).where("deleted_at", "is", null);
    if ((await rows.limit(1).executeTakeFirst()) !== undefined) throw refuse(table);
  }
  for (const table of ["calendars", "webhooks", "uploads"] as const) {
    const row = await db.selectFrom(table).select("id").where("team_id", "=", teamId).limit(1).executeTakeFirst();
    if (row !== undefined) throw refuse(table);
  }
  const other = await db
    .selectFrom("teams")
    .select("id")
    .where("id", "<>", teamId)
    .where("deleted_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  if (other === undefined) throw new ProblemError("in-use", "It is the only team of this service: create another one first");
}
