// An authenticated operator, and its rights by role and scopes.
import { scopes, type Role, type Scope } from "../../protocol/operator/people.ts";
import { ProblemError } from "../http/problem.ts";

/** The caller of a request with an operator's token. */
export interface Operator {
  tokenId: string;
  /** True if it is the session of a browser, not a token of a program. */
  isSession: boolean;
  /** When the person of a session last proved who they are, epoch ms; null: it is no session. */
  provedAt: number | null;
  /**
   * The user who made the link by which the session began, which therefore ends at its team: it has no power over its person, nor in
   * another of their teams. Null: it is the whole person's session, or no session.
   */
  confinedBy: string | null;
  /** True if it is the token in the service's data folder: whoever reads that file runs the machine. */
  isMachine: boolean;
  teamId: string;
  userId: string;
  role: Role;
  /** The token's scopes that the role allows. */
  scopes: readonly Scope[];
  /** When the token expires, epoch ms; null: never. */
  expiresAt: number | null;
}

/** Scopes of contributors: content, and the files that it shows. The team's approval decides if changes are published at once. */
const contributed: readonly Scope[] = [
  "playlists:write",
  "layouts:write",
  "schedules:write",
  "assets:write",
  "drafts:write",
  "versions:write",
];

/** All scopes that a role allows. */
export function scopesOfRole(role: Role): readonly Scope[] {
  switch (role) {
    case "owner":
      return scopes;
    case "editor":
      return scopes.filter((scope) => scope !== "teams:write" && scope !== "audit:read");
    case "contributor":
      return scopes.filter((scope) => contributed.includes(scope) || (scope.endsWith(":read") && scope !== "audit:read"));
    case "viewer":
      return scopes.filter((scope) => scope.endsWith(":read") && scope !== "audit:read");
  }
}

/** Scopes over the access of people and programs: a confined session has none of them. */
const aboutAccess: readonly Scope[] = ["teams:write", "tokens:read", "tokens:write"];

/** The scopes of a session of somebody with this role. */
export function scopesOfSession(role: Role, { confinedBy }: Pick<Operator, "confinedBy">): readonly Scope[] {
  const allowed = scopesOfRole(role);
  return confinedBy === null ? allowed : allowed.filter((scope) => !aboutAccess.includes(scope));
}

/** @throws ProblemError 403 when the operator's token lacks `scope`. */
export function requireScope(operator: Operator, scope: Scope): void {
  if (operator.scopes.includes(scope)) return;
  if (aboutAccess.includes(scope)) requireWholePerson(operator);
  throw insufficientScope([scope], `The token lacks the scope ${scope}`);
}

/** @throws ProblemError 403 for a session that a team's link began. */
export function requireWholePerson({ confinedBy }: Pick<Operator, "confinedBy">): void {
  if (confinedBy === null) return;
  throw new ProblemError(
    "forbidden",
    "A link that was made in this team signed you in, for this team only: it changes neither your account nor who has access. Sign in with your password, a passkey or single sign-on",
  );
}

/** The error for a token that lacks scopes (RFC 6750 section 3.1). */
export function insufficientScope(missing: readonly Scope[], detail: string): ProblemError {
  return new ProblemError("forbidden", detail, { headers: bearerChallenge(`error="insufficient_scope", scope="${missing.join(" ")}"`) });
}

/** The `WWW-Authenticate` header of a response that rejects a token. @param error its error parameters, if any. */
export function bearerChallenge(error?: string): Record<string, string> {
  const realm = 'Bearer realm="signage-player"';
  return { "WWW-Authenticate": error === undefined ? realm : `${realm}, ${error}` };
}
