// The API schemas of teams, users, members, invitations, tokens and the audit log.
import { z } from "zod";
import { id, Name, Sha256, Timestamp } from "../common.ts";
import { Approval } from "./publishing.ts";

/** All scopes of tokens. */
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
  "report_links:read",
  "report_links:write",
  "events:read",
  "teams:read",
  "teams:write",
  "tokens:read",
  "tokens:write",
  "audit:read",
  "drafts:read",
  "drafts:write",
  "versions:read",
  "versions:write",
] as const;
export const Scope = z.enum(scopes).meta({ id: "Scope" });
export type Scope = z.infer<typeof Scope>;

/**
 * Owners may do everything; editors everything except managing people and reading the audit log; contributors change content only,
 * and need an approval if the team asks for it; viewers may only read.
 */
export const Role = z.enum(["owner", "editor", "contributor", "viewer"]).meta({ id: "Role" });
export type Role = z.infer<typeof Role>;

export const Email = z.email("must be an email address").max(254).toLowerCase();
const stamps = { created_at: Timestamp, updated_at: Timestamp };

/** Every resource except users belongs to exactly one team. */
export const Team = z
  .object({
    id: id("team"),
    name: Name,
    safe_asset_id: id("ast")
      .nullable()
      .describe(
        "The image, such as a logo, that players without their own show in place of content that makes their browser fail; null: a text",
      ),
    approval: Approval.describe("`required`: what contributors change is a proposal until an editor approves it"),
    ...stamps,
  })
  .meta({ id: "Team" });
export type Team = z.infer<typeof Team>;
/** A team of the caller, with their role in it. */
export const OwnTeam = Team.extend({ role: Role }).meta({ id: "OwnTeam" });
export type OwnTeam = z.infer<typeof OwnTeam>;
export const NewTeam = z.strictObject({ name: Name }).meta({ id: "NewTeam" });
export const TeamDeletion = z.strictObject({
  with_content: z.enum(["true", "false"]).default("false").describe("`true` deletes everything but players for good with the team"),
});
export const TeamChange = z
  .strictObject({
    name: Name.optional(),
    safe_asset_id: id("ast")
      .nullable()
      .optional()
      .describe(
        "An image to show in place of content that makes the browser fail, on players without their own; null: a text that says so",
      ),
    approval: Approval.optional().describe("Whether changes of contributors need the approval of an editor"),
  })
  .meta({ id: "TeamChange" });

const EmailProven = z
  .boolean()
  .describe(
    "Whether the person has proven that the email is theirs. Without a proof anybody may carry any email, and it says nothing about who they are",
  );

/** A person who uses the service. */
export const User = z
  .object({
    id: id("usr"),
    name: Name,
    email: z.string().nullable().describe("Null for the user who installed the service"),
    email_proven: EmailProven,
    ...stamps,
  })
  .meta({ id: "User" });
export type User = z.infer<typeof User>;
export const UserChange = z.strictObject({ name: Name.optional(), email: Email.optional() }).meta({ id: "UserChange" });

/** A user's membership in a team. */
export const Member = z
  .object({
    user_id: id("usr"),
    name: Name,
    email: z.string().nullable(),
    email_proven: EmailProven,
    role: Role,
    created_at: Timestamp.describe("When the person joined the team"),
  })
  .meta({ id: "Member" });
export type Member = z.infer<typeof Member>;
export const MemberChange = z.strictObject({ role: Role }).meta({ id: "MemberChange" });

/** A pending membership of a team. */
export const Invitation = z
  .object({
    id: id("inv"),
    team_id: id("team"),
    email: z.string(),
    name: Name,
    role: Role,
    status: z.enum(["pending", "accepted", "revoked", "expired"]),
    created_by: id("usr"),
    created_at: Timestamp,
    expires_at: Timestamp.describe("Seven days after its creation, or when the token that created it ends"),
  })
  .meta({ id: "Invitation" });
export type Invitation = z.infer<typeof Invitation>;
export const NewInvitation = z.strictObject({ email: Email, name: Name, role: Role }).meta({ id: "NewInvitation" });
export const CreatedInvitation = Invitation.extend({
  secret: z.string().describe("Shown only once: pass it on to the invited person, who accepts with it. It does not prove the email"),
  mailed: z
    .boolean()
    .describe(
      "Whether the person gets a mail with another link, which proves the email. False: the service mails nothing, or has mailed too much",
    ),
  url: z
    .string()
    .nullable()
    .describe("The same as a link that opens the console, where the person sets a password; null: the Host header is not a host name"),
}).meta({ id: "CreatedInvitation" });
export const Acceptance = z
  .strictObject({
    secret: z.string().max(100).describe("The invitation's secret"),
    name: Name.optional().describe("Replaces the name in the invitation"),
  })
  .meta({ id: "Acceptance" });

/** An operator's access token, without its secret. */
export const Token = z
  .object({
    id: id("tok"),
    team_id: id("team"),
    user_id: id("usr").describe("The user on whose behalf it acts"),
    name: Name,
    hint: z.string().describe("The last four characters of its secret; empty for tokens of earlier versions"),
    scopes: z.array(Scope),
    created_by: id("usr").nullable().describe("Null: created by the service at its first start"),
    created_at: Timestamp,
    expires_at: Timestamp.nullable(),
    last_used_at: Timestamp.nullable().describe("Accurate to the minute"),
  })
  .meta({ id: "Token" });
export type Token = z.infer<typeof Token>;
export const NewToken = z
  .strictObject({
    name: Name,
    scopes: z.array(Scope).min(1).max(scopes.length),
    expires_at: Timestamp.nullable().default(null).describe("Must be in the future. A token cannot create a token that expires after it"),
  })
  .meta({ id: "NewToken" });
export const TokenChange = z.strictObject({ name: Name }).meta({ id: "TokenChange" });
export const CreatedToken = Token.extend({
  secret: z.string().describe("`sgn_pat_…`, shown only once: the service stores only its hash"),
}).meta({ id: "CreatedToken" });
export type CreatedToken = z.infer<typeof CreatedToken>;

/** The membership and the first token of a person who has accepted an invitation. */
export const AcceptedInvitation = z.object({ user: User, team: Team, role: Role, token: CreatedToken }).meta({ id: "AcceptedInvitation" });
/** The caller. */
export const Me = z.object({ user: User, team: Team, role: Role, token: Token }).meta({ id: "Me" });

/** One successful write of an operator. */
export const AuditEntry = z
  .object({
    id: id("aud"),
    seq: z.int().min(1).describe("Counts from 1 in each team, without gaps"),
    user_id: id("usr"),
    token_id: id("tok").describe("The token or the session; for a failed sign-in an id that no token has"),
    action: z.string().describe("The operationId, such as `updatePlaylist`"),
    resource_type: z.string().describe("The group of operations, such as `playlists`"),
    resource_id: z.string().nullable().describe("Null for a write to several resources"),
    before: z.string().nullable().describe("The resource's ETag before the write, without quotes; null: none"),
    after: z.string().nullable().describe("The resource's ETag after the write, without quotes; null: none"),
    address: z.string().describe("The client's IP address"),
    request_id: z.string(),
    issuer: z
      .string()
      .nullable()
      .describe(
        "For the use of a sign-in link: the name, at that time, of whoever made it, or `the service's machine`. Null: no link was used",
      ),
    created_at: Timestamp,
    hash: Sha256.describe("SHA-256 of the previous entry's hash and this entry as canonical JSON"),
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.infer<typeof AuditEntry>;

/** The result of verifying the audit log. */
export const AuditVerification = z
  .object({
    holds: z.boolean(),
    entries: z.int().min(0).describe("The number of valid entries, counted from the first"),
    broken_at_seq: z.int().nullable().describe("The first missing or altered entry; null: none"),
    last_hash: Sha256.nullable().describe(
      "The hash of the newest valid entry. Store it elsewhere to prove later that no earlier entry was rewritten",
    ),
  })
  .meta({ id: "AuditVerification" });
export type AuditVerification = z.infer<typeof AuditVerification>;
