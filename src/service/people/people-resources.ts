// Teams, users, members, invitations and tokens as the API shows them.
import { iso } from "../../base/time.ts";
import type { Invitation, Member, Role, Scope, Team, Token, User } from "../../protocol/operator/people.ts";
import { isProven } from "./emails.ts";
import type { InvitationRow, TeamRow, TokenRow, UserRow } from "../store/tables/people.ts";

/** A member of a team as a row; `id` is the user's. */
export type Membership = Omit<Member, "created_at" | "role" | "email_proven"> & {
  id: string;
  role: string;
  created_at: number;
  proven_email: string | null;
};

export function showTeam(row: TeamRow): Team {
  const { id, name, safe_asset_id, created_at, updated_at } = row;
  const approval = row.approval as Team["approval"];
  return { id, name, safe_asset_id, approval, created_at: iso(created_at), updated_at: iso(updated_at) };
}

export function showUser(row: UserRow): User {
  const { id, name, email, created_at, updated_at } = row;
  return { id, name, email, email_proven: isProven(row), created_at: iso(created_at), updated_at: iso(updated_at) };
}

export function showMember(row: Membership): Member {
  const { user_id, name, email, role, created_at } = row;
  return { user_id, name, email, email_proven: isProven(row), role: role as Role, created_at: iso(created_at) };
}

export function showInvitation(row: InvitationRow, now: number): Invitation {
  const { id, team_id, email, name, created_by } = row;
  const ended = row.accepted_at !== null ? "accepted" : row.revoked_at !== null ? "revoked" : null;
  const status = ended ?? (row.expires_at <= now ? "expired" : "pending");
  const times = { created_at: iso(row.created_at), expires_at: iso(row.expires_at) };
  return { id, team_id, email, name, role: row.role as Role, status, created_by, ...times };
}

export function showToken(row: TokenRow): Token {
  return {
    id: row.id,
    team_id: row.team_id,
    // Every valid token has a user: the start of the service assigns one to tokens of earlier versions.
    user_id: row.user_id!,
    name: row.name,
    hint: row.hint,
    scopes: JSON.parse(row.scopes) as Scope[],
    created_by: row.created_by,
    created_at: iso(row.created_at),
    expires_at: iso(row.expires_at),
    last_used_at: iso(row.last_used_at),
  };
}
