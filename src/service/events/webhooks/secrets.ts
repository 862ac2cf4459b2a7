// The secrets of a webhook: one, or two for a day after a rotation.
import { dayMs } from "../../../base/time.ts";
import type { WebhookRow } from "../../store/tables/events.ts";
import { createSecret } from "./signature.ts";

export interface Secret {
  secret: string;
  /** Ms since the epoch; null: never. */
  expires_at: number | null;
}

const overlapMs = dayMs;

/** The secrets to sign with at `now`, newest first. */
export function signingSecrets(webhook: Pick<WebhookRow, "secrets">, now: number): string[] {
  return validSecrets(webhook, now).map(({ secret }) => secret);
}

/** The secrets that have not expired at `now`, newest first. */
export function validSecrets({ secrets }: Pick<WebhookRow, "secrets">, now: number): Secret[] {
  return (JSON.parse(secrets) as Secret[]).filter(({ expires_at }) => expires_at === null || expires_at > now);
}

/** Adds a new secret. The newest of the present ones stays valid for a day, older ones are dropped. */
export function rotateSecrets(webhook: Pick<WebhookRow, "secrets">, now: number): Secret[] {
  const [current] = validSecrets(webhook, now);
  const added: Secret = { secret: createSecret(), expires_at: null };
  return current === undefined ? [added] : [added, { ...current, expires_at: now + overlapMs }];
}
