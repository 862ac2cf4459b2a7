// Operations for invitations: an owner creates one, and the person who accepts it with its secret joins the team.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { dayMs } from "../../../base/time.ts";
import { id } from "../../../protocol/common.ts";
import { Acceptance, AcceptedInvitation, CreatedInvitation, Invitation, NewInvitation } from "../../../protocol/operator/people.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { pageOf } from "../../http/paging.ts";
import { found, ProblemError } from "../../http/problem.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import type { AuditLog } from "../audit.ts";
import type { BrowserCookies } from "../sessions/browser-cookies.ts";
import { grantsExpireAt, intersectScopes, requireRoleScopes } from "../grants.ts";
import { scopesOfRole } from "../operator.ts";
import { showInvitation } from "../people-resources.ts";
import { findProvenUser } from "../emails.ts";
import { findPendingOf } from "../store/invitations.ts";
import { readTeam } from "../store/teams.ts";
import { findMember, readUser } from "../store/users.ts";
import { newInvitationSecret } from "../mails/mailed-secrets.ts";
import type { PeopleMails } from "../mails/people-mails.ts";
import { hashSecret } from "../token-secrets.ts";
import type { MakeId } from "../../store/ids.ts";
import type { InvitationRow } from "../../store/tables/people.ts";
import type { Db, Store } from "../../store/store.ts";
import { findTeamRow, insertTeamRow, selectTeamRows, updateTeamRow } from "../../store/tables/team-rows.ts";

interface InvitationDependencies {
  audit: AuditLog;
  clock: Clock;
  cookies: BrowserCookies;
  makeId: MakeId;
  peopleMails: PeopleMails;
  store: Store;
}

const params = z.strictObject({ id: id("inv") });
const lifeMs = 7 * dayMs;

const operation = operationsWith<InvitationDependencies>();

export const invitationOperations: readonly Operation<InvitationDependencies>[] = [
  operation({
    name: "createInvitation",
    tag: "invitations",
    method: "POST",
    path: "/invitations",
    summary: "Invite a person to the team",
    description:
      "`secret` and `url` are shown only once: pass the link on, unless it was `mailed`. Either link is valid once, for seven days, but not longer than the token you call with. That token must have all scopes of the role.",
    caller: "operator",
    scope: "teams:write",
    // The invited person may act for longer than the session lasts.
    session: { proof: ({ role }) => role !== "viewer" },
    body: NewInvitation,
    example: { email: "ada@example.com", name: "Ada", role: "editor" },
    status: 201,
    output: CreatedInvitation,
    errors: ["conflict", "invalid"],
    version: showPublic,
    async run({ clock, makeId, peopleMails }, context, { body }, unitOfWork) {
      const { teamId } = context;
      const mailed = await peopleMails.mayInvite(teamId, body.email);
      return unitOfWork.write(async (db, { operator }) => {
        requireRoleScopes(operator, body.role, `To invite a person as ${body.role}`);
        const now = Math.trunc(clock.now());
        await checkNew(db, teamId, body.email, now);
        const secret = newInvitationSecret();
        const end = grantsExpireAt(operator);
        const row: InvitationRow = {
          id: makeId("inv"),
          team_id: teamId,
          ...body,
          secret_hash: hashSecret(secret),
          mailed_secret_hash: null,
          created_by: operator.userId,
          token_id: operator.tokenId,
          token_expires_at: end,
          scopes: JSON.stringify(intersectScopes(scopesOfRole(body.role), operator.scopes)),
          created_at: now,
          expires_at: Math.min(now + lifeMs, end ?? Number.POSITIVE_INFINITY),
          accepted_at: null,
          revoked_at: null,
        };
        await insertTeamRow(db, "invitations", row);
        if (mailed) {
          const [team, inviter] = [await readTeam(db, row.team_id), await readUser(db, row.created_by)];
          await peopleMails.invite(db, row, { team: team.name, inviter: inviter.name });
        }
        // Behind `#`, so that no server's log and no Referer header contains it.
        const url = context.baseUrl === null ? null : `${context.baseUrl}/sign-in#invitation=${secret}`;
        return { result: { ...showInvitation(row, now), secret, url, mailed } };
      });
    },
  }),
  operation({
    name: "listInvitations",
    tag: "invitations",
    method: "GET",
    path: "/invitations",
    summary: "List the team's invitations",
    description: "Newest first, including accepted, revoked and expired ones.",
    caller: "operator",
    scope: "teams:read",
    query: PageQuery,
    status: 200,
    output: page(Invitation),
    errors: ["invalid"],
    run: ({ clock, store }, { teamId }, { query }) =>
      pageOf(selectTeamRows(store.db, "invitations", teamId), query, (row) => showInvitation(row, clock.now())),
  }),
  operation({
    name: "getInvitation",
    tag: "invitations",
    method: "GET",
    path: "/invitations/{id}",
    summary: "Read an invitation",
    description: "The secret is not included.",
    caller: "operator",
    scope: "teams:read",
    params,
    status: 200,
    output: Invitation,
    errors: ["not-found"],
    version: showPublic,
    run: (dependencies, context, input) => read(dependencies, context, input.params),
  }),
  operation({
    name: "revokeInvitation",
    tag: "invitations",
    method: "DELETE",
    path: "/invitations/{id}",
    summary: "Withdraw an invitation",
    description: "Its secret becomes invalid. An accepted invitation cannot be withdrawn: remove the member instead.",
    caller: "operator",
    scope: "teams:write",
    params,
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use", "precondition-failed"],
    current: async (dependencies, context, given) => showPublic(await read(dependencies, context, given)),
    async run(dependencies, context, input, unitOfWork) {
      await unitOfWork.write(async (db, current) => {
        const { status } = await read(dependencies, current, input.params, db);
        if (status === "accepted") throw new ProblemError("in-use", "The invitation was accepted: remove the member instead");
        const revoked_at = Math.trunc(dependencies.clock.now());
        if (status !== "revoked") await updateTeamRow(db, "invitations", input.params.id, { revoked_at });
        return { result: undefined };
      });
    },
  }),
  operation({
    name: "acceptInvitation",
    tag: "invitations",
    method: "POST",
    path: "/invitations/accept",
    summary: "Accept an invitation",
    description:
      "Makes you a member and returns your first token of the team, whose secret is shown only once. The token ends when the token that invited you ends. If you already have a token, send it as `Authorization` to join as the same user.",
    caller: "anyone",
    body: Acceptance,
    example: { secret: "sgn_inv_4fQmB2vYc8T1xW9kLrJ6hN3sZ0pD7gE5aUoKiVyMtXb" },
    status: 201,
    output: AcceptedInvitation,
    errors: ["unauthorized", "forbidden", "not-found", "conflict", "invalid"],
    run: acceptInvitation,
  }),
];

async function read(
  { clock, store }: InvitationDependencies,
  { teamId }: OperatorContext,
  { id: invitationId }: { id: string },
  db = store.db,
): Promise<Invitation> {
  return showInvitation(found(await findTeamRow(db, "invitations", teamId, invitationId), "invitation"), clock.now());
}

/** The part that the ETag covers: not the secret. */
function showPublic({ id: invitationId, email, name, role, status }: Invitation): unknown {
  return { id: invitationId, email, name, role, status };
}

/** @throws ProblemError 409 if the person who has proven the email is a member, or it has a pending invitation. */
async function checkNew(db: Db, teamId: string, email: string, now: number): Promise<void> {
  // A member who carries the email unproven need not be the person, and must not keep them out.
  const user = await findProvenUser(db, email);
  const member = user && (await findMember(db, teamId, user.id));
  if (member !== undefined) throw new ProblemError("conflict", `${email} is already a member of the team (${member.id})`);
  const open = await findPendingOf(db, teamId, email, now);
  if (open !== undefined)
    throw new ProblemError("conflict", `${email} already has a pending invitation (${open.id}): withdraw it to create another`);
}
