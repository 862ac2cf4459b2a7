// Teams, the people in them, what their tokens may do, and the record of what they did.
import { z } from "zod";
import { id, Name, Sha256, Timestamp } from "../common.ts";

/** What a token may allow. */
export const scopes = [
  "players:read",
  "players:write",
  "playlists:read",
  "playlists:write",
  "layouts:read",
  "layouts:write",
  "assets:read",
  "assets:write",
  "commands:read",
  "commands:write",
  "screenshots:read",
  "screenshots:write",
  "schedules:read",
  "schedules:write",
  "webhooks:read",
  "webhooks:write",
  "play_events:read",
  "events:read",
  "teams:read",
  "teams:write",
  "tokens:read",
  "tokens:write",
  "audit:read",
] as const;
export const Scope = z.enum(scopes);
export type Scope = z.infer<typeof Scope>;

/** What a person is in a team: an owner everything, an editor all but the team's people and its audit log, a viewer reads. */
export const Role = z.enum(["owner", "editor", "viewer"]);
export type Role = z.infer<typeof Role>;

const Email = z.email("must be an e-mail address").max(254).toLowerCase();
const stamps = { created_at: Timestamp, updated_at: Timestamp };

/** Everything but people belongs to exactly one team. */
export const Team = z.object({ id: id("team"), name: Name, ...stamps });
export type Team = z.infer<typeof Team>;
/** A team of the caller's, and what they are in it. */
export const OwnTeam = Team.extend({ role: Role });
export type OwnTeam = z.infer<typeof OwnTeam>;
export const TeamChange = z.strictObject({ name: Name });

/** A person. */
export const User = z.object({
  id: id("usr"),
  name: Name,
  email: z.string().nullable().describe("As it was told to us; nobody has proven it. Null for the person who installed the service"),
  ...stamps,
});
export type User = z.infer<typeof User>;
export const UserChange = z.strictObject({ name: Name.optional(), email: Email.optional() });

/** A person in a team. */
export const Member = z.object({
  user_id: id("usr"),
  name: Name,
  email: z.string().nullable(),
  role: Role,
  created_at: Timestamp.describe("When the person joined the team"),
});
export type Member = z.infer<typeof Member>;
export const MemberChange = z.strictObject({ role: Role });

/** A seat in a team that waits for somebody. */
export const Invitation = z.object({
  id: id("inv"),
  team_id: id("team"),
  email: z.string(),
  name: Name,
  role: Role,
  status: z.enum(["pending", "accepted", "revoked", "expired"]),
  created_by: id("usr"),
  created_at: Timestamp,
  expires_at: Timestamp.describe("Seven days after it was made, or when the token that made it ends"),
});
export type Invitation = z.infer<typeof Invitation>;
export const NewInvitation = z.strictObject({ email: Email, name: Name, role: Role });
export const CreatedInvitation = Invitation.extend({
  secret: z.string().describe("Shown this once: pass it on to the person, who accepts with it. We send no e-mail"),
});
export const Acceptance = z.strictObject({
  secret: z.string().max(100).describe("The invitation's"),
  name: Name.optional().describe("Instead of the name that the invitation says"),
});

/** An operator's access token, without its secret. */
export const Token = z.object({
  id: id("tok"),
  team_id: id("team"),
  user_id: id("usr").describe("On whose behalf it acts"),
  name: Name,
  hint: z.string().describe("The last four characters of its secret; empty for those of earlier versions"),
  scopes: z.array(Scope),
  created_by: id("usr").nullable().describe("Null: the service itself, at its start"),
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
  last_used_at: Timestamp.nullable().describe("To the minute"),
});
export type Token = z.infer<typeof Token>;
export const NewToken = z.strictObject({
  name: Name,
  scopes: z.array(Scope).min(1).max(scopes.length),
  expires_at: Timestamp.nullable().default(null).describe("In the future. A token that expires makes none that outlives it"),
});
export const TokenChange = z.strictObject({ name: Name });
export const CreatedToken = Token.extend({ secret: z.string().describe("`sgn_pat_…`, shown this once: its hash alone is kept") });
export type CreatedToken = z.infer<typeof CreatedToken>;

/** A place in a team with a token to take it. */
export const AcceptedInvitation = z.object({ user: User, team: Team, role: Role, token: CreatedToken });
/** Who calls. */
export const Me = z.object({ user: User, team: Team, role: Role, token: Token });

/** One successful write of an operator. */
export const AuditEntry = z.object({
  id: id("aud"),
  seq: z.int().min(1).describe("Counts from 1 in each team, without a gap"),
  user_id: id("usr"),
  token_id: id("tok"),
  action: z.string().describe("The operationId, such as `updatePlaylist`"),
  resource_type: z.string().describe("The part of the API, such as `playlists`"),
  resource_id: z.string().nullable().describe("Null for what concerns several at once"),
  before: z.string().nullable().describe("The resource's ETag before, without quotes; null: there was none"),
  after: z.string().nullable().describe("The resource's ETag after, without quotes; null: there is none"),
  address: z.string().describe("Where the request came from"),
  request_id: z.string(),
  created_at: Timestamp,
  hash: Sha256.describe("SHA-256 of the hash before it and of this entry as canonical JSON"),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** Whether the log is whole. */
export const AuditVerification = z.object({
  holds: z.boolean(),
  entries: z.int().min(0).describe("Entries that are good, from the first on"),
  broken_at_seq: z.int().nullable().describe("The first that is missing or was altered; null: none"),
  last_hash: Sha256.nullable().describe("Of the newest good entry: kept elsewhere, it proves later that nothing before it was rewritten"),
});
export type AuditVerification = z.infer<typeof AuditVerification>;
