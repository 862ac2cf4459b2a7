// Operations for invitations: an owner creates one, and the person who accepts it with its secret joins the team.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { id } from "../../../protocol/common.ts";
import {
  Acceptance,
  AcceptedInvitation,
  CreatedInvitation,
  Invitation,
  NewInvitation,
  type Role,
  type Scope,
} from "../../../protocol/operator/people.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import { pageOf } from "../../http/paging.ts";
import { found, ProblemError } from "../../http/problem.ts";
import type { Contexts, OperatorContext } from "../context.ts";
import { NoContent, operationsWith, type Operation } from "../operation.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import type { AuditLog } from "../../people/audit.ts";
import { authenticate } from "../../people/authentication.ts";
import { grantsExpireAt, intersectScopes, requireRoleScopes } from "../../people/grants.ts";
import { issueToken } from "../../people/issue-token.ts";
import { scopesOfRole } from "../../people/operator.ts";
import { showInvitation, showTeam, showUser } from "../../people/people-resources.ts";
import { createUser, selectMembers } from "../../people/people.ts";
import { hashSecret, randomText } from "../../people/token-secrets.ts";
import type { MakeId } from "../../store/ids.ts";
import type { InvitationRow, UserRow } from "../../store/people-tables.ts";
import type { Db, Store } from "../../store/store.ts";

interface InvitationDependencies {
  audit: AuditLog;
  clock: Clock;
  makeId: MakeId;
  store: Store;
}

const params = z.strictObject({ id: id("inv") });
const lifeMs = 7 * 86_400_000;

const operation = operationsWith<InvitationDependencies>();

export const invitationOperations: readonly Operation<InvitationDependencies>[] = [
  operation({
    name: "createInvitation",
    tag: "invitations",
    method: "POST",
    path: "/invitations",
    summary: "Invite a person to the team",
    description:
      "`secret` is shown only once: pass it on, since no email is sent. It is valid once, for seven days, but not longer than the token you call with. That token must have all scopes of the role.",
    caller: "operator",
    scope: "teams:write",
    body: NewInvitation,
    example: { email: "ada@example.com", name: "Ada", role: "editor" },
    status: 201,
    output: CreatedInvitation,
    errors: ["conflict", "invalid"],
    version: showPublic,
    async run({ clock, makeId }, context, { body }, unitOfWork) {
      const { teamId } = context;
      return unitOfWork.write(async (db, { operator }) => {
        requireRoleScopes(operator, body.role, `To invite a person as ${body.role}`);
        const now = Math.trunc(clock.now());
        await checkNew(db, teamId, body.email, now);
        const secret = `sgn_inv_${randomText(43)}`;
        const end = grantsExpireAt(operator);
        const row: InvitationRow = {
          id: makeId("inv"),
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
    description: "Newest first, including accepted, revoked and expired ones.",
    caller: "operator",
    scope: "teams:read",
    query: PageQuery,
    status: 200,
    output: page(Invitation),
    errors: ["invalid"],
    run({ clock, store }, { teamId }, { query }) {
      const rows = store.db.selectFrom("invitations").selectAll().where("team_id", "=", teamId);
      return pageOf(rows, query, (row) => showInvitation(row, clock.now()));
    },
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
      "Makes you a member and returns your first token of the team, whose secret is shown only once. The token ends when the token that invited you ends. If you already have a token, send it as `Authorization` to join as the same user.",
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
  dependencies: InvitationDependencies,
  context: Contexts["anyone"],
  { body }: { body: z.output<typeof Acceptance> },
  unitOfWork: UnitOfWork<"anyone">,
): Promise<z.output<typeof AcceptedInvitation>> {
  const { header, address, requestId } = context;
  const authorization = header("authorization");
  const known = authorization === undefined ? null : await authenticate(dependencies.store.db, dependencies.clock, authorization);
  return unitOfWork.write(async (db, current) => {
    const now = Math.trunc(dependencies.clock.now());
    const row = await db.selectFrom("invitations").selectAll().where("secret_hash", "=", hashSecret(body.secret)).executeTakeFirst();
    if (row === undefined || showInvitation(row, now).status !== "pending") {
      throw new ProblemError("not-found", "The invitation is unknown, used, withdrawn or expired: ask for a new one");
    }
    const user = await personOf(dependencies, current, db, row, known?.userId ?? null, body.name);
    await db.insertInto("members").values({ team_id: row.team_id, user_id: user.id, role: row.role, created_at: now }).execute();
    await db.updateTable("invitations").set({ accepted_at: now }).where("id", "=", row.id).execute();
    const role = row.role as Role;
    // The new token has no scope and no lifetime beyond those of the inviting token.
    const details = {
      teamId: row.team_id,
      userId: user.id,
      name: "First token",
      createdBy: row.created_by,
      expiresAt: row.token_expires_at,
    };
    const token = await issueToken(dependencies, db, {
      ...details,
      scopes: intersectScopes(scopesOfRole(role), JSON.parse(row.scopes) as Scope[]),
    });
    const team = await db.selectFrom("teams").selectAll().where("id", "=", row.team_id).executeTakeFirstOrThrow();
    await dependencies.audit.append(db, {
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

/** The user who accepts: the owner of the sent token, or a new user. @throws ProblemError 409 for a member of the team. */
async function personOf(
  dependencies: InvitationDependencies,
  _context: Contexts["anyone"],
  db: Db,
  { team_id, name, email }: InvitationRow,
  userId: string | null,
  ownName: string | undefined,
): Promise<UserRow> {
  if (userId === null) return createUser(dependencies, db, { name: ownName ?? name, email });
  const present = await selectMembers(db, team_id).where("id", "=", userId).executeTakeFirst();
  if (present !== undefined) throw new ProblemError("conflict", "You are already a member of this team");
  return db.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirstOrThrow();
}

async function read(
  { clock, store }: InvitationDependencies,
  { teamId }: OperatorContext,
  { id: invitationId }: { id: string },
  db = store.db,
): Promise<Invitation> {
  const rows = db.selectFrom("invitations").selectAll().where("team_id", "=", teamId).where("id", "=", invitationId);
  return showInvitation(found(await rows.executeTakeFirst(), "invitation"), clock.now());
}

/** The part that the ETag covers: not the secret. */
function showPublic({ id: invitationId, email, name, role, status }: Invitation): unknown {
  return { id: invitationId, email, name, role, status };
}

/** @throws ProblemError 409 if the person is a member or has a pending invitation. */
async function checkNew(db: Db, teamId: string, email: string, now: number): Promise<void> {
  const member = await selectMembers(db, teamId).where("email", "=", email).executeTakeFirst();
  if (member !== undefined) throw new ProblemError("conflict", `${email} is already a member of the team (${member.id})`);
  const open = await db
    .selectFrom("invitations")
    .select("id")
    .where("team_id", "=", teamId)
    .where("email", "=", email)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  if (open !== undefined)
    throw new ProblemError("conflict", `${email} already has a pending invitation (${open.id}): withdraw it to create another`);
}
