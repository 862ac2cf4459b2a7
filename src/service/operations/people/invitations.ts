// Invitations: an owner makes one and passes its secret on; whoever accepts with it is in the team.
import { z } from "zod";
import {
  Acceptance,
  Invitation,
  CreatedInvitation,
  NewInvitation,
  AcceptedInvitation,
  type Role,
  type Scope,
} from "../../../protocol/operator/people.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { id } from "../../../protocol/common.ts";
import { authenticate } from "../../people/authentication.ts";
import { hashSecret, randomText } from "../../people/token-secrets.ts";
import { scopesOfRole } from "../../people/operator.ts";
import { intersectScopes, requireRoleScopes, grantsExpireAt } from "../../people/grants.ts";
import { pageOf } from "../../http/paging.ts";
import { issueToken } from "../../people/issue-token.ts";
import { createUser, selectMembers } from "../../people/people.ts";
import { showInvitation, showTeam, showUser } from "../../people/people-resources.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Db } from "../../store/store.ts";
import type { InvitationRow, UserRow } from "../../store/people-tables.ts";
import { change, found, NoContent, operation, type Contexts, type Operation, type OperatorContext } from "../operation.ts";

const params = z.strictObject({ id: id("inv") });
const lifeMs = 7 * 86_400_000;

export const invitationOperations: readonly Operation[] = [
  operation({
    name: "createInvitation",
    tag: "invitations",
    method: "POST",
    path: "/invitations",
    summary: "Invite somebody into the team",
    description:
      "`secret` is shown this once: pass it on, no e-mail is sent. It is good once, for seven days, and no longer than the token you call with. That token has to hold all that the role allows.",
    caller: "operator",
    scope: "teams:write",
    body: NewInvitation,
    example: { email: "ada@example.com", name: "Ada", role: "editor" },
    status: 201,
    output: CreatedInvitation,
    errors: ["conflict", "invalid"],
    version: showPublic,
    async run(context, { body }) {
      const { parts, teamId } = context;
      return change(context, async (db) => {
        const { operator } = context;
        requireRoleScopes(operator, body.role, `To invite somebody as ${body.role}`);
        const now = Math.trunc(parts.clock.now());
        await checkNew(db, teamId, body.email, now);
        const secret = `sgn_inv_${randomText(43)}`;
        const end = grantsExpireAt(operator);
        const row: InvitationRow = {
          id: parts.makeId("inv"),
          team_id: teamId,
          ...body,
          secret_hash: hashSecret(secret),
          created_by: operator.userId,
          token_id: operator.tokenId,
          token_expires_at: end,
          scopes: JSON.stringify(intersectScopes(scopesOfRole(body.role), operator.scopes)),
          created_at: now,
          expires_at: Math.min(now + lifeMs, end ?? Number.POSITIVE_INFINITY),
          accepted_at: null,
          revoked_at: null,
        };
        await db.insertInto("invitations").values(row).execute();
        return { result: { ...showInvitation(row, now), secret } };
      });
    },
  }),
  operation({
    name: "listInvitations",
    tag: "invitations",
    method: "GET",
    path: "/invitations",
    summary: "List the team's invitations",
    description: "Newest first, those that were accepted, revoked or have expired included.",
    caller: "operator",
    scope: "teams:read",
    query: PageQuery,
    status: 200,
    output: page(Invitation),
    errors: ["invalid"],
    run({ parts, teamId }, { query }) {
      const rows = parts.store.db.selectFrom("invitations").selectAll().where("team_id", "=", teamId);
      return pageOf(rows, query, (row) => showInvitation(row, parts.clock.now()));
    },
  }),
  operation({
    name: "getInvitation",
    tag: "invitations",
    method: "GET",
    path: "/invitations/{id}",
    summary: "Read an invitation",
    description: "Without its secret.",
    caller: "operator",
    scope: "teams:read",
    params,
    status: 200,
    output: Invitation,
    errors: ["not-found"],
    version: showPublic,
    run: (context, input) => read(context, input.params),
  }),
  operation({
    name: "revokeInvitation",
    tag: "invitations",
    method: "DELETE",
    path: "/invitations/{id}",
    summary: "Withdraw an invitation",
    description: "Its secret is good no longer. An accepted one stays as it is: remove the member instead.",
    caller: "operator",
    scope: "teams:write",
    params,
    status: 204,
    output: NoContent,
    errors: ["not-found", "in-use", "precondition-failed"],
    current: async (context, given) => showPublic(await read(context, given)),
    async run(context, input) {
      await change(context, async (db) => {
        const { status } = await read(context, input.params, db);
        if (status === "accepted") throw new ProblemError("in-use", "It was accepted: remove the member instead");
        const revoked_at = Math.trunc(context.parts.clock.now());
        if (status !== "revoked") await db.updateTable("invitations").set({ revoked_at }).where("id", "=", input.params.id).execute();
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
      "Makes you a member and answers with your first token of the team, whose secret is shown this once; it ends when the token that invited you does. Who has a token already sends it along as `Authorization` and joins as the same person.",
    caller: "anyone",
    body: Acceptance,
    example: { secret: "sgn_inv_4fQmB2vYc8T1xW9kLrJ6hN3sZ0pD7gE5aUoKiVyMtXb" },
    status: 201,
    output: AcceptedInvitation,
    errors: ["unauthorized", "not-found", "conflict", "invalid"],
    run: accept,
  }),
];

async function accept(
  context: Contexts["anyone"],
  { body }: { body: z.output<typeof Acceptance> },
): Promise<z.output<typeof AcceptedInvitation>> {
  const { parts, header, address, requestId } = context;
  const authorization = header("authorization");
  const known = authorization === undefined ? null : await authenticate(parts.store.db, parts.clock, authorization);
  return change(context, async (db) => {
    const now = Math.trunc(parts.clock.now());
    const row = await db.selectFrom("invitations").selectAll().where("secret_hash", "=", hashSecret(body.secret)).executeTakeFirst();
    if (row === undefined || showInvitation(row, now).status !== "pending") {
      throw new ProblemError("not-found", "The invitation is not known, was used or withdrawn, or has expired: ask for a new one");
    }
    const user = await personOf(context, db, row, known?.userId ?? null, body.name);
    await db.insertInto("members").values({ team_id: row.team_id, user_id: user.id, role: row.role, created_at: now }).execute();
    await db.updateTable("invitations").set({ accepted_at: now }).where("id", "=", row.id).execute();
    const role = row.role as Role;
    // No more than the token that invited held, nor for longer.
    const wish = { teamId: row.team_id, userId: user.id, name: "First token", createdBy: row.created_by, expiresAt: row.token_expires_at };
    const token = await issueToken(parts, db, { ...wish, scopes: intersectScopes(scopesOfRole(role), JSON.parse(row.scopes) as Scope[]) });
    const team = await db.selectFrom("teams").selectAll().where("id", "=", row.team_id).executeTakeFirstOrThrow();
    await parts.audit.append(db, {
      teamId: row.team_id,
      userId: user.id,
      tokenId: token.id,
      action: "acceptInvitation",
      resourceType: "invitations",
      resourceId: row.id,
      before: null,
      after: null,
      address,
      requestId,
    });
    return { result: { user: showUser(user), team: showTeam(team), role, token } };
  });
}

/** Who accepts: the person whose token came along, else somebody new. @throws Refusal 409 for one who is in the team. */
async function personOf(
  { parts }: Contexts["anyone"],
  db: Db,
  { team_id, name, email }: InvitationRow,
  userId: string | null,
  ownName: string | undefined,
): Promise<UserRow> {
  if (userId === null) return createUser(parts, db, { name: ownName ?? name, email });
  const present = await selectMembers(db, team_id).where("id", "=", userId).executeTakeFirst();
  if (present !== undefined) throw new ProblemError("conflict", "You are in this team already");
  return db.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow();
}

async function read({ parts, teamId }: OperatorContext, { id: invitationId }: { id: string }, db = parts.store.db): Promise<Invitation> {
  const rows = db.selectFrom("invitations").selectAll().where("team_id", "=", teamId).where("id", "=", invitationId);
  return showInvitation(found(await rows.executeTakeFirst(), "invitation"), parts.clock.now());
}

/** What an invitation's ETag covers: never the secret. */
function showPublic({ id: invitationId, email, name, role, status }: Invitation): unknown {
  return { id: invitationId, email, name, role, status };
}

/** @throws Refusal 409 when the person is in the team, or an open invitation waits for them. */
async function checkNew(db: Db, teamId: string, email: string, now: number): Promise<void> {
  const member = await selectMembers(db, teamId).where("email", "=", email).executeTakeFirst();
  if (member !== undefined) throw new ProblemError("conflict", `${email} is in the team already (${member.id})`);
  const open = await db
    .selectFrom("invitations")
    .select("id")
    .where("team_id", "=", teamId)
    .where("email", "=", email)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  if (open !== undefined) throw new ProblemError("conflict", `An invitation waits for ${email} (${open.id}): withdraw it to make another`);
}
