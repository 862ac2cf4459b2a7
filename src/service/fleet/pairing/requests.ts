// The stored pairing requests: a device's request for a pairing code, and the player that claimed it.
import { randomInt } from "node:crypto";
import { dayMs, minuteMs } from "../../../base/time.ts";
import type { PairingRequest } from "../../../protocol/device/messages.ts";
import { pairingCodeAlphabet } from "../../../protocol/pairing-code.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Db } from "../../store/store.ts";

/** How long a code can be claimed, ms. */
export const codeLifetimeMs = 15 * minuteMs;
// Kept for a day, so that claiming a used code fails with 409 and a device that lost its connection still gets its token.
const claimedRetentionMs = dayMs;

/** Stores a request, which invalidates an unclaimed earlier one with the same key. @returns the code to be shown. */
export async function storePairingRequest(
  db: Db,
  { id, deviceCodeHash, request, now }: { id: string; deviceCodeHash: string; request: PairingRequest; now: number },
): Promise<string> {
  const { public_key, ...reported } = request;
  await deleteExpired(db, now);
  await db.deleteFrom("pairing_requests").where("public_key", "=", public_key).where("player_id", "is", null).execute();
  const code = await unusedCode(db);
  const row = { id, device_code_hash: deviceCodeHash, user_code: code, public_key, reported: JSON.stringify(reported) };
  await db
    .insertInto("pairing_requests")
    .values({ ...row, created_at: now, expires_at: now + codeLifetimeMs, player_id: null })
    .execute();
  return code;
}

/** The request with a code that can still be claimed. @throws ProblemError 404, 409. */
export async function findClaimable(db: Db, code: string, now: number) {
  const request = await db.selectFrom("pairing_requests").selectAll().where("user_code", "=", code).executeTakeFirst();
  if (request !== undefined && request.player_id !== null) {
    throw new ProblemError("already-claimed", "This code has been used. A screen that still shows it will show a new one shortly");
  }
  if (request === undefined || request.expires_at <= now) {
    throw new ProblemError("unknown-code", "No screen shows this code, or it has expired: read the code that the screen shows now");
  }
  return request;
}

export async function markClaimed(db: Db, requestId: string, playerId: string): Promise<void> {
  await db.updateTable("pairing_requests").set({ player_id: playerId }).where("id", "=", requestId).execute();
}

export function findByDeviceCode(db: Db, deviceCodeHash: string) {
  return db.selectFrom("pairing_requests").selectAll().where("device_code_hash", "=", deviceCodeHash).executeTakeFirst();
}

async function deleteExpired(db: Db, now: number): Promise<void> {
  await db.deleteFrom("pairing_requests").where("expires_at", "<=", now).where("player_id", "is", null).execute();
  await db
    .deleteFrom("pairing_requests")
    .where("created_at", "<=", now - claimedRetentionMs)
    .execute();
}

async function unusedCode(db: Db): Promise<string> {
  for (;;) {
    let code = "";
    while (code.length < 8) code += pairingCodeAlphabet[randomInt(pairingCodeAlphabet.length)]!;
    const existing = await db.selectFrom("pairing_requests").select("id").where("user_code", "=", code).executeTakeFirst();
    if (existing === undefined) return code;
  }
}
