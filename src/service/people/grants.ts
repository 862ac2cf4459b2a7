// What a token may give to others: a role, an end. Never more than the token holds, nor for longer.
import type { Role, Scope } from "../../protocol/operator/people.ts";
import { scopesOfRole, insufficientScope, type Operator } from "./access.ts";
import { ProblemError } from "../http/problem.ts";
import type { Db } from "../store/store.ts";

/**
 * Until when what this token gives may last, epoch ms; null: without end. The one place to decide that a kind of token gives for
 * longer than it lasts itself, as a person's short sign-in session would.
 */
export function grantsExpireAt({ expiresAt }: Operator): number | null {
  return expiresAt;
}

/**
 * Makes sure that a token holds all that a role may do. Its scopes are among those of its user's own role, so that role is not
 * lower either.
 * @param act what is wished, as in "To invite an owner"
 * @throws Refusal 403 naming the scopes that are missing.
 */
export function requireRoleScopes({ scopes }: Operator, role: Role, act: string): void {
  const missing = scopesOfRole(role).filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return;
  throw insufficientScope(
    missing,
    `${act}, a token has to hold all that the role ${role} allows. This one lacks ${missing.join(", ")}: use a token of an owner's that holds them`,
  );
}

/** Makes sure that a token may give somebody a role for good. @throws Refusal 403 when it lacks a scope of it, or has an end. */
export function requireMayPromote(operator: Operator, role: Role): void {
  requireRoleScopes(operator, role, `To raise somebody to ${role}`);
  const end = grantsExpireAt(operator);
  if (end === null) return;
  const until = new Date(end).toISOString();
  throw new ProblemError("forbidden", `A role has no end, and the token you call with ends at ${until}: raise with a token without an end`);
}

/** The scopes of `wished` that are in `held`. */
export function intersectScopes(wished: readonly Scope[], held: readonly Scope[]): Scope[] {
  return wished.filter((scope) => held.includes(scope));
}

/** Withdraws the open invitations that these tokens made: to be called where a token is revoked. */
export async function withdrawInvitationsByTokens(db: Db, tokenIds: readonly string[], now: number): Promise<void> {
  await db
    .updateTable("invitations")
    .set({ revoked_at: now })
    .where("token_id", "in", tokenIds)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .execute();
}
