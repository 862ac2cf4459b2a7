// People, teams, and how they sign in.
import type { OwnedRow } from "./owned-row.ts";

export interface TeamRow {
  id: string;
  name: string;
  /** The picture in place of withheld content, for players without their own. */
  safe_asset_id: string | null;
  /** `required` if changes of contributors need an approval, else `none`. */
  approval: string;
  created_at: number;
  updated_at: number;
  /** Set when it was deleted. The row stays for the audit log and for the team's devices. */
  deleted_at: number | null;
}

export interface UserRow {
  id: string;
  name: string;
  /** Anybody may carry any address: only a proven one says who it is. */
  email: string | null;
  /** The email if the person has proven that it is theirs. Only one user has it. */
  proven_email: string | null;
  created_at: number;
  updated_at: number;
}

/** A code that was mailed to a person, who proves their address with it. */
export interface EmailProofRow {
  user_id: string;
  email: string;
  /** Null until the mail is sent. */
  code_hash: string | null;
  expires_at: number;
}

export interface MemberRow {
  team_id: string;
  user_id: string;
  role: string;
  created_at: number;
}

export interface InvitationRow extends OwnedRow {
  email: string;
  name: string;
  role: string;
  secret_hash: string;
  /** Of the secret that was mailed to the email, and shown to nobody; null: no mail was sent. */
  mailed_secret_hash: string | null;
  created_by: string;
  /** The token that created it, which may be deleted. Null for invitations of earlier versions. */
  token_id: string | null;
  /** When that token expires; null: never. */
  token_expires_at: number | null;
  /** JSON of the role's scopes that the token had. */
  scopes: string;
  expires_at: number;
  accepted_at: number | null;
  revoked_at: number | null;
}

export interface TokenRow extends OwnedRow {
  name: string;
  hash: string;
  scopes: string;
  expires_at: number | null;
  revoked_at: number | null;
  /** Null only in a database of an earlier version, until the service has started once. */
  user_id: string | null;
  hint: string;
  last_used_at: number | null;
  created_by: string | null;
  /** 1: it is the token in the service's data folder. */
  is_machine: number;
}

export interface AuditRow extends OwnedRow {
  seq: number;
  user_id: string;
  token_id: string;
  action: string;
  resource_type: string;
  resource_id: string | null;
  before_digest: string | null;
  after_digest: string | null;
  address: string;
  request_id: string;
  /** The name, at that time, of whoever made the link that was used; null: the entry is about no link. */
  issuer: string | null;
  hash: string;
}

/** A browser's session, without the fields of its token. */
export interface SessionRow {
  token_id: string;
  /** How the person signed in. */
  method: string;
  address: string;
  user_agent: string;
  /** When the person last proved who they are, epoch ms. */
  proved_at: number;
  /** The maker of the link that began it: a user, by which it is confined to its team, or `machine`. Null: no link began it. */
  link_by: string | null;
}

/** The password of a user. */
export interface PasswordRow {
  user_id: string;
  /** The user's email. Several users may have the same: the password decides whose account it opens. */
  email: string;
  /** A PHC string: the algorithm, its parameters, the salt and the hash. */
  hash: string;
  changed_at: number;
}

/** A passkey: the public key of a credential that a browser or a security key keeps. */
export interface PasskeyRow {
  id: string;
  user_id: string;
  /** The host name of the console for which it was made, WebAuthn's RP ID. */
  host: string;
  name: string;
  credential_id: string;
  /** A COSE key, base64url. */
  public_key: string;
  /** How often its keeper says that it was used; 0 for a keeper that does not count. */
  counter: number;
  /** JSON of how browsers reach its keeper. */
  transports: string;
  /** 1: its keeper copies it to other devices. */
  is_synced: number;
  created_at: number;
  last_used_at: number | null;
}

/** A browser in which a user has signed in. Its guesses of that user's password are counted apart from those of strangers. */
export interface KnownBrowserRow {
  secret_hash: string;
  user_id: string;
  used_at: number;
}

/** An account at the provider of single sign-on that signs a user in. */
export interface IdentityRow {
  id: string;
  issuer: string;
  /** The provider's own id of the person. */
  subject: string;
  user_id: string;
  /** The email that the provider said last and had verified; null: none. */
  email: string | null;
  created_at: number;
  last_used_at: number;
}

export interface SignInLinkRow extends OwnedRow {
  user_id: string;
  secret_hash: string;
  /** The user who made it, by which its session is confined to the team; null: the machine, for the whole person. */
  created_by: string | null;
  expires_at: number;
  used_at: number | null;
}

/** A one-time secret that was used. */
export interface UsedSecretRow {
  /** Of its purpose and its text. */
  digest: string;
  /** When it would have expired: epoch ms. */
  until: number;
}

/** The ticket of a preview. */
export interface PreviewTicketRow {
  id: string;
  secret_hash: string;
  team_id: string;
  token_id: string;
  /** JSON of the PreviewSubject that it shows. */
  subject: string;
  /** 1: it opens screenshots, too. */
  has_captures: number;
  /** JSON of the entries of its files, by hash. */
  files: string;
  /** JSON of the entries of its feeds, by address. */
  feeds: string;
  expires_at: number;
}

/** The attempts of one key. */
interface AttemptsRow {
  /** Of the limit. */
  name: string;
  /** The digest of whose attempts they are. */
  key: string;
  /** Epoch ms, in order. */
  times: number[];
  /** When the last of them does not count any more. */
  ends_at: number;
}

/** How many requests of a key one node has served in its present window. */
export interface QuotaUseRow {
  quota: string;
  key: string;
  node_id: string;
  /** Greater for each window of the node. */
  window_number: number;
  used: number;
  /** Both by the database's clock. */
  ends_at: number;
  changed_at: number;
}

export interface LimitTables {
  attempts: AttemptsRow;
  quota_use: QuotaUseRow;
}
