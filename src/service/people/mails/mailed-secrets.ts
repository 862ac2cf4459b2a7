// The secrets that people get by mail. Each is made when its mail is sent, so that no stored row ever has one.
import { randomInt } from "node:crypto";
import { z } from "zod";
import { hourMs } from "../../../base/time.ts";
import type { Db } from "../../store/store.ts";
import { hashSecret, randomText } from "../token-secrets.ts";

const codeMs = hourMs;
// Consonants: they form no words, and none looks like a digit.
const letters = "BCDFGHJKLMNPQRSTVWXZ";

/** Where a mail's text has its secret. No name has this character: lines of mails have no control characters. */
export const secretPlace = "\u0001";

/** The invitation that a mailed secret is for, or the user whose email it proves. */
export const SecretFor = z.strictObject({ is: z.enum(["invitation", "email"]), id: z.string() });
export type SecretFor = z.infer<typeof SecretFor>;

/** A new secret of an invitation. */
export function newInvitationSecret(): string {
  return `sgn_inv_${randomText(43)}`;
}

/** The stored form of a code, however a person has typed it. */
export function hashCode(code: string): string {
  return hashSecret(code.replaceAll(/[^a-z]/gi, "").toUpperCase());
}

/** Makes the secret of a mail that is about to be sent; an earlier one becomes invalid. @returns null: nobody needs it any more */
export async function makeMailedSecret(db: Db, { is, id }: SecretFor, now: number): Promise<string | null> {
  const secret = is === "invitation" ? newInvitationSecret() : newCode();
  const made =
    is === "invitation"
      ? await db
          .updateTable("invitations")
          .set({ mailed_secret_hash: hashSecret(secret) })
          .where("id", "=", id)
          .where("accepted_at", "is", null)
          .where("revoked_at", "is", null)
          .where("expires_at", ">", now)
          .returning("id")
          .executeTakeFirst()
      : await db
          .updateTable("email_proofs")
          .set({ code_hash: hashCode(secret), expires_at: now + codeMs })
          .where("user_id", "=", id)
          .returning("user_id")
          .executeTakeFirst();
  return made === undefined ? null : secret;
}

function newCode(): string {
  const text = Array.from({ length: 8 }, () => letters[randomInt(letters.length)]!).join("");
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}
