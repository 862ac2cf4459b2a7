// Rows of the tables by which several nodes count together. A service on SQLite does not have these tables.

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
