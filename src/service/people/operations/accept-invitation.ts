// Accepts an invitation: the person who sends its secret joins the team and gets a first token.
import type { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import type { Acceptance, AcceptedInvitation, Role, Scope } from "../../../protocol/operator/people.ts";
import { checkSameOrigin } from "../../http/origin.ts";
import type { AuditLog } from "../audit.ts";
import { authenticate } from "../authentication.ts";
import type { BrowserCookies } from "../sessions/browser-cookies.ts";
import { intersectScopes } from "../grants.ts";
import { issueToken } from "../issue-token.ts";
import { requireWholePerson, scopesOfRole } from "../operator.ts";
import { proveEmail } from "../emails.ts";
import { findPendingInvitation, joinTeam, type PresentedInvitation } from "../invitations.ts";
import { showTeam, showUser } from "../people-resources.ts";
import { readTeam } from "../store/teams.ts";
import { createUser, readUser } from "../store/users.ts";
import type { MakeId } from "../../store/ids.ts";
import type { UserRow } from "../../store/tables/people.ts";
import type { Db, Store } from "../../store/store.ts";
import type { Contexts } from "../../operations/context.ts";
import type { UnitOfWork } from "../../operations/unit-of-work.ts";

interface AcceptanceDependencies {
  audit: AuditLog;
  clock: Clock;
  cookies: BrowserCookies;
  makeId: MakeId;
  store: Store;
}

/**
 * Accepts the invitation with this secret, as the user whose token is sent, or as a new user.
 * @throws ProblemError 404 unless the invitation is pending; 409 for a member of the team.
 */
export async function acceptInvitation(
  dependencies: AcceptanceDependencies,
  context: Contexts["anyone"],
  { body }: { body: z.output<typeof Acceptance> },
  unitOfWork: UnitOfWork<"anyone">,
): Promise<z.output<typeof AcceptedInvitation>> {
  const { address, requestId } = context;
  const secret = dependencies.cookies.presentedSecret(context);
  const known = secret === undefined ? null : await authenticate(dependencies.store.db, dependencies.clock, secret);
  if (known?.isSession === true) checkSameOrigin(context);
  if (known !== null) requireWholePerson(known);
  return unitOfWork.write(async (db) => {
    const now = Math.trunc(dependencies.clock.now());
    const row = await findPendingInvitation(db, body.secret, now);
    const user = await personOf(dependencies, db, row, known?.userId ?? null, body.name);
    await joinTeam(db, row, user.id, now);
    const role = row.role as Role;
    // The new token has no scope and no lifetime beyond those of the inviting token.
    const token = await issueToken(dependencies, db, {
      teamId: row.team_id,
      userId: user.id,
      name: "First token",
      scopes: intersectScopes(scopesOfRole(role), JSON.parse(row.scopes) as Scope[]),
      createdBy: row.created_by,
      expiresAt: row.token_expires_at,
    });
    const team = await readTeam(db, row.team_id);
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

/** The user who accepts: the owner of the sent token, or a new user. The mailed secret proves the email. */
async function personOf(
  dependencies: AcceptanceDependencies,
  db: Db,
  { name, email, isMailed }: PresentedInvitation,
  userId: string | null,
  ownName: string | undefined,
): Promise<UserRow> {
  const id = userId ?? (await createUser(dependencies, db, { name: ownName ?? name, email })).id;
  if (isMailed) await proveEmail(db, id, email);
  return readUser(db, id);
}
