// The rows of enrolment keys and of the machines that enrolled.
import type { OwnedRow } from "./owned-row.ts";

/** A key by which devices become players. Counts and booleans are numbers. */
export interface EnrolmentKeyRow extends OwnedRow {
  name: string;
  /** The hash of the key. */
  hash: string;
  /** The key's last four characters. */
  hint: string;
  /** JSON array, for its players. */
  tags: string;
  layout_id: string | null;
  name_pattern: string;
  max_count: number;
  /** How many players it has created. */
  used_count: number;
  /** How often a machine took its player again. */
  returned_count: number;
  /** 0 or 1. */
  replace_by_serial: number;
  /** The user and the token that created it: enrolments are audited in their name. */
  created_by: string;
  token_id: string;
  updated_at: number;
  expires_at: number;
  revoked_at: number | null;
  last_used_at: number | null;
  refused_count: number;
  /** JSON of an EnrolmentRefusal. */
  last_refusal: string | null;
}

/** The machine that was enrolled as a player. */
export interface EnrolmentRow {
  player_id: string;
  key_id: string;
  /** Null: unknown, or a placeholder. */
  serial: string | null;
  mac: string | null;
  enrolled_at: number;
}
