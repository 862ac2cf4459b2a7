// Rows of the tables about secrets that are valid once or for minutes. Only services of several nodes use them.

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
  /** JSON of what it shows. */
  subject: string;
  /** 1: it opens screenshots, too. */
  has_captures: number;
  /** JSON of the entries of its files, by hash. */
  files: string;
  /** JSON of the entries of its feeds, by address. */
  feeds: string;
  expires_at: number;
}
