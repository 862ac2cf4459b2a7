// The common part of the operations by which players upload files: the headers for digest, time and command.
import { Timestamp } from "../../../../protocol/common.ts";
import { ProblemError } from "../../../http/problem.ts";
import type { Db } from "../../../store/store.ts";
import type { PlayerRow } from "../../../store/tables/fleet.ts";
import type { Contexts } from "../../../operations/context.ts";
import { findCommand } from "../../store.ts";

type Stored = { player_id: string; sha256: string };

/** The problems and headers in the description of such an operation. */
export const uploadErrors = ["bad-digest", "bad-file", "bad-request", "conflict", "too-large"] as const;
export const uploadHeaders = (time: string, command: string): Record<string, string> => ({
  "Content-Digest": "`sha-256=:…:` of the bytes (RFC 9530); required",
  "Captured-At": `${time}, RFC 3339; required`,
  "Command-Id": command,
});

/** The time and the command of an upload. @throws ProblemError if a header is missing or wrong, or if the digest is of other bytes. */
export async function readUploadHeaders(
  db: Db,
  { player, header }: Contexts["device"],
  sha256: string,
): Promise<{ capturedAt: number; commandId: string | null }> {
  checkDigest(header("content-digest"), sha256);
  return { capturedAt: capturedAt(header("captured-at")), commandId: await commandOf(db, player, header("command-id")) };
}

/** True if this upload is stored already. @throws ProblemError 409 if its id belongs to another. */
export function isStored(known: Stored | undefined, row: Stored, noun: string): boolean {
  if (known === undefined) return false;
  if (known.player_id === row.player_id && known.sha256 === row.sha256) return true;
  throw new ProblemError("conflict", `There is another ${noun} with this id`);
}

/** @throws ProblemError `bad-digest` if the header is missing or is not the digest of the bytes. */
function checkDigest(header: string | undefined, sha256: string): void {
  const match = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(header ?? "");
  if (match === null) throw new ProblemError("bad-digest", "Send Content-Digest: sha-256=:…: of the bytes (RFC 9530)");
  if (Buffer.from(match[1]!, "base64").toString("hex") !== sha256) {
    throw new ProblemError("bad-digest", "The bytes that arrived do not match Content-Digest: send them again");
  }
}

/** The instant in the header Captured-At. @throws ProblemError 400 without a valid one. */
function capturedAt(header: string | undefined): number {
  if (!Timestamp.safeParse(header).success) throw new ProblemError("bad-request", "Send Captured-At: an RFC 3339 time in UTC");
  return Date.parse(header!);
}

/** The id in the header Command-Id; null without it. @throws ProblemError 400 if the player has no such command. */
async function commandOf(db: Db, player: PlayerRow, header: string | undefined): Promise<string | null> {
  if (header === undefined) return null;
  const row = await findCommand(db, player.id, header);
  if (row === undefined) throw new ProblemError("bad-request", "Command-Id: this screen has no such command");
  return row.id;
}
