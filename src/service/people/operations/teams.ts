// Operations for teams. A token belongs to one team; its user may be in several.
import type { ServiceCore } from "../../core.ts";
import { z } from "zod";
import { id } from "../../../protocol/common.ts";
import { CreatedToken, NewTeam, OwnTeam, TeamChange, TeamDeletion, type Role } from "../../../protocol/operator/people.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import type { AlertSettingsBook } from "../../alerts/settings.ts";
import { emptyBin } from "../../cleanup/bin.ts";
import { checkDeletable, discardContent } from "../../cleanup/team-content.ts";
import type { BlobSweeper } from "../../content/blob-sweeper.ts";
import { deleteTeamTickets } from "../../content/previews/tickets-in-database.ts";
import { deleteWebhooks } from "../../events/webhooks/store.ts";
import type { RolloutTracker } from "../../fleet/rollouts/tracker.ts";
import type { Presence } from "../../fleet/presence/presence.ts";
import { pageOf } from "../../http/paging.ts";
import { found, ProblemError } from "../../http/problem.ts";
import type { AuditLog } from "../audit.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import { JsonResponse } from "../../operations/responses.ts";
import { grantsExpireAt } from "../grants.ts";
import { issueToken } from "../issue-token.ts";
import { requireScope } from "../operator.ts";
import { showTeam } from "../people-resources.ts";
import { withdrawInvitations } from "../store/invitations.ts";
import { deleteTeam, findOwnTeam, findTeamOf, insertTeam, selectOwnTeams, updateTeam } from "../store/teams.ts";
import { revokeTeamTokens } from "../store/tokens.ts";
import type { BrowserCookies } from "../sessions/browser-cookies.ts";
import { moveSession } from "../sessions/move-session.ts";
import { erasePublishing } from "../../publishing/versions/versions.ts";
import type { TokenExpiry } from "../token-expiry.ts";
import type { TeamRow } from "../../store/tables/people.ts";
import type { Db, Store } from "../../store/store.ts";
import { checkImage } from "../../content/operations/layouts.ts";
import { cancelTeamBatches } from "../../fleet/batches/batch-rows.ts";
import { revokeTeamKeys } from "../../fleet/enrolment/key-rows.ts";
import { abortTeamRollouts } from "../../fleet/rollouts/transitions.ts";
import { deleteReportLinks } from "../../proof/report-links.ts";
import { targetedPlayers } from "../../schedule/schedules.ts";
import { deleteTeamShows } from "../../shows/shows.ts";

interface TeamDependencies extends ServiceCore {
  alertSettings: AlertSettingsBook;
  audit: AuditLog;
  cookies: BrowserCookies;
  presence: Presence;
  rollouts: RolloutTracker;
  sweeper: BlobSweeper;
  tokens: TokenExpiry;
}

const params = z.strictObject({ id: id("team") });
const version = ({ id: teamId, name, safe_asset_id, approval, updated_at }: OwnTeam) => ({
  id: teamId,
  name,
  safe_asset_id,
  approval,
  updated_at,
});
const CreatedTeam = OwnTeam.extend({ token: CreatedToken });

/** The scopes that deleting a team's content requires. */
const contentScopes = ["playlists:write", "layouts:write", "schedules:write", "assets:write", "webhooks:write"] as const;

const operation = operationsWith<TeamDependencies>();

export const teamOperations: readonly Operation<TeamDependencies>[] = [
  operation({
    name: "createTeam",
    tag: "teams",
    method: "POST",
    path: "/teams",
    summary: "Create a team",
    description:
      "You become its owner. `token` is a token of the new team with the scopes and expiry of the token you call with; its secret is shown only once. A person who is signed in needs no token: `POST /session/team` creates a team too.",
    caller: "operator",
    scope: "teams:write",
    // It creates a token.
    session: { proof: true },
    body: NewTeam,
    example: { name: "Airport" },
    status: 201,
    output: CreatedTeam,
    errors: ["invalid"],
    version,
    async run(dependencies, context, { body }, unitOfWork) {
      return unitOfWork.write(async (db, { operator }) => {
        const row = await insertTeam(dependencies, db, { name: body.name, ownerId: operator.userId });
        const { userId, scopes } = operator;
        const details = { teamId: row.id, userId, name: "First token", scopes, createdBy: userId, expiresAt: grantsExpireAt(operator) };
        return { result: { ...show({ ...row, role: "owner" }), token: await issueToken(dependencies, db, details) } };
      });
    },
  }),
  operation({
    name: "listTeams",
    tag: "teams",
    method: "GET",
    path: "/teams",
    summary: "List your teams",
    description: "The teams of the token's user, newest first. The token itself belongs to one of them: see `GET /me`.",
    caller: "operator",
    scope: "teams:read",
    query: PageQuery,
    status: 200,
    output: page(OwnTeam),
    errors: ["invalid"],
    run: ({ store }, { operator }, { query }) => pageOf(selectOwnTeams(store.db, operator), query, show),
  }),
  operation({
    name: "getTeam",
    tag: "teams",
    method: "GET",
    path: "/teams/{id}",
    summary: "Read a team",
    description: "A team of the token's user.",
    caller: "operator",
    scope: "teams:read",
    params,
    status: 200,
    output: OwnTeam,
    errors: ["not-found"],
    version,
    run: (dependencies, context, input) => read(dependencies, context, input.params),
  }),
  operation({
    name: "updateTeam",
    tag: "teams",
    method: "PATCH",
    path: "/teams/{id}",
    summary: "Change a team",
    description:
      "The team that the token belongs to. `safe_asset_id` names an image that its players keep and show in place of content that makes their browser fail; a player's own image comes first. With `approval` of `required`, what contributors change is a proposal until an editor approves it.",
    caller: "operator",
    scope: "teams:write",
    params,
    body: TeamChange,
    example: { name: "Airport, hall B" },
    status: 200,
    output: OwnTeam,
    errors: ["not-found", "invalid", "precondition-failed"],
    version,
    current: async (dependencies, context, given) => version(await readTokenTeam(dependencies, context, given)),
    async run(dependencies, context, input, unitOfWork) {
      const { operator } = context;
      return unitOfWork.write(async (db, current) => {
        const before = await readTokenTeam(dependencies, current, input.params, db);
        const { name = before.name, safe_asset_id = before.safe_asset_id, approval = before.approval } = input.body;
        await checkImage(db, before.id, safe_asset_id, "/safe_asset_id");
        const isSafeContentNew = safe_asset_id !== before.safe_asset_id;
        if (name === before.name && approval === before.approval && !isSafeContentNew) return { result: before };
        const next = { name, safe_asset_id, approval, updated_at: Math.trunc(dependencies.clock.now()) };
        const row = await updateTeam(db, before.id, next);
        return {
          result: show({ ...row, role: operator.role }),
          affected: isSafeContentNew ? await targetedPlayers(db, before.id, [{ type: "team" }]) : [],
        };
      });
    },
  }),
  operation({
    name: "deleteTeam",
    tag: "teams",
    method: "DELETE",
    path: "/teams/{id}",
    summary: "Delete a team",
    description:
      "The team must be empty: delete its players, layouts, playlists, schedules, assets, calendars and webhooks first. `with_content=true` deletes all of them for good with it, except players, which must be deleted first in any case; it also requires the scopes to change them. All its tokens end, including yours. The session of a person who is in another team goes on there: the response sets a new cookie.",
    agent: "Use it only if an owner explicitly asks for it; your own token ends with it.",
    caller: "operator",
    scope: "teams:write",
    session: { proof: true, setsCookie: true },
    params,
    query: TeamDeletion,
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use", "precondition-failed"],
    current: async (dependencies, context, given) => version(await readTokenTeam(dependencies, context, given)),
    async run(dependencies, context, input, unitOfWork) {
      const { alertSettings, cookies, rollouts: tracker, sweeper } = dependencies;
      const { address, requestId } = context;
      const withContent = input.query.with_content === "true";
      let emptied: string[] = [];
      const change = async (db: Db, current: OperatorContext) => {
        const { operator } = current;
        const { id: teamId } = await readTokenTeam(dependencies, current, input.params, db);
        for (const scope of withContent ? contentScopes : []) requireScope(operator, scope);
        await checkDeletable(db, teamId, withContent);
        const now = Math.trunc(dependencies.clock.now());
        if (withContent) await discardContent(db, teamId, now);
        const { files, playerIds } = await emptyBin(db, { teamId }, now);
        sweeper.mark(files);
        await erasePublishing(db, teamId);
        await deleteTeamShows(db, teamId);
        await deleteTeamTickets(db, teamId);
        await deleteReportLinks(db, teamId);
        await deleteWebhooks(db, { teamId });
        const dropAlertSettings = await alertSettings.delete(db, teamId);
        emptied = playerIds;
        await dependencies.presence.announceForgotten(db, playerIds);
        await deleteTeam(db, teamId, now);
        await withdrawInvitations(db, teamId, now);
        await revokeTeamKeys(db, teamId, now);
        const ended = await revokeTeamTokens(db, teamId, now);
        const rollouts = await abortTeamRollouts(db, teamId, "The team was deleted", now);
        await cancelTeamBatches(db, teamId, "The team was deleted", now);
        const next = operator.isSession ? await findTeamOf(db, operator.userId) : undefined;
        const moved = next === undefined ? null : await moveSession(dependencies, db, { operator, address, requestId }, null);
        const followRollouts = await tracker.announce(db, { rollouts });
        const endConnections = await dependencies.tokens.end(db, ended);
        const committed = (): void => {
          dropAlertSettings();
          followRollouts();
          endConnections();
        };
        return { result: moved?.started ?? null, committed };
      };
      const response = await unitOfWork.write(change, async (_db, started) => {
        const cookie = started === null ? cookies.clearSession(context) : cookies.setSession(context, started.secret, started.expiresAt);
        return new JsonResponse(204, undefined, {}, context.operator.isSession ? [cookie] : []);
      });
      for (const playerId of emptied) await dependencies.presence.deletePlayer(playerId);
      return response;
    },
  }),
];

/**
 * Checks that the team in the path is the token's team.
 * @throws ProblemError 404 for a team that the user is not in; 403 for another team of the user, which needs another token.
 */
export async function readTokenTeam(
  dependencies: { store: Store },
  context: OperatorContext,
  { id: teamId }: { id: string },
  db = dependencies.store.db,
): Promise<OwnTeam> {
  const team = await read(dependencies, context, { id: teamId }, db);
  if (team.id !== context.teamId)
    throw new ProblemError("forbidden", "This token belongs to another of your teams: use a token of this team");
  return team;
}

async function read(
  { store }: { store: Store },
  { operator }: OperatorContext,
  { id: teamId }: { id: string },
  db = store.db,
): Promise<OwnTeam> {
  return show(found(await findOwnTeam(db, operator, teamId), "team"));
}

function show(row: TeamRow & { role: string }): OwnTeam {
  return { ...showTeam(row), role: row.role as Role };
}
