// Limits the rights that a token may grant to others: no more scopes than it has itself, and no longer than it lasts.
import type { Role, Scope } from "../../protocol/operator/people.ts";
import { insufficientScope, scopesOfRole, type Operator } from "./operator.ts";
import { ProblemError } from "../http/problem.ts";

/**
 * When tokens and invitations that this operator creates must expire at the latest, epoch ms; null: never. A person who signs in
 * grants for longer than their session lasts.
 */
export function grantsExpireAt({ expiresAt, isSession }: Operator): number | null {
  return isSession ? null : expiresAt;
}

/**
 * Checks that a token has all scopes of a role. The role of its user is then not lower either, since it bounds the token's scopes.
 * @param action begins the error's detail, such as "To invite an owner"
 * @throws ProblemError 403 that names the missing scopes.
 */
export function requireRoleScopes({ scopes }: Operator, role: Role, action: string): void {
  const missing = scopesOfRole(role).filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return;
  throw insufficientScope(
    missing,
    `${action}, use a token with all scopes of the role ${role}. This one lacks ${missing.join(", ")}: use an owner's token that has them`,
  );
}

/** Checks that a token may promote a member to a role. @throws ProblemError 403 when it lacks a scope of the role, or expires. */
export function requireMayPromote(operator: Operator, role: Role): void {
  requireRoleScopes(operator, role, `To promote a member to ${role}`);
  const end = grantsExpireAt(operator);
  if (end === null) return;
  const until = new Date(end).toISOString();
  throw new ProblemError("forbidden", `A role does not expire, but your token expires at ${until}: use a token without an end`);
}

/** The scopes that are in both lists. */
export function intersectScopes(requested: readonly Scope[], held: readonly Scope[]): Scope[] {
  return requested.filter((scope) => held.includes(scope));
}
