// The headers of files that players upload: digest, time and command.
import { Timestamp } from "../../../protocol/common.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Db } from "../../store/store.ts";
import type { PlayerRow } from "../../store/tables.ts";

/** @throws ProblemError `bad-digest` if the header is missing or is not the digest of the bytes. */
export function checkDigest(header: string | undefined, sha256: string): void {
  const match = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(header ?? "");
  if (match === null) throw new ProblemError("bad-digest", "Send Content-Digest: sha-256=:…: of the bytes (RFC 9530)");
  if (Buffer.from(match[1]!, "base64").toString("hex") !== sha256) {
    throw new ProblemError("bad-digest", "The bytes that arrived do not match Content-Digest: send them again");
  }
}

/** The instant in the header Captured-At. @throws ProblemError 400 without a valid one. */
export function capturedAt(header: string | undefined): number {
  if (!Timestamp.safeParse(header).success) throw new ProblemError("bad-request", "Send Captured-At: an RFC 3339 time in UTC");
  return Date.parse(header!);
}

/** The id in the header Command-Id; null without it. @throws ProblemError 400 if the player has no such command. */
export async function commandOf(db: Db, player: PlayerRow, header: string | undefined): Promise<string | null> {
  if (header === undefined) return null;
  const row = await db.selectFrom("commands").select("id").where("id", "=", header).where("player_id", "=", player.id).executeTakeFirst();
  if (row === undefined) throw new ProblemError("bad-request", "Command-Id: this screen has no such command");
  return row.id;
}
