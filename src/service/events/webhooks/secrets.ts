// A webhook's secrets: one, or during a rotation two, of which the older ends after a day.
import type { WebhookRow } from "../../store/event-tables.ts";
import { createSecret } from "./signature.ts";

/** A secret and when it ends, ms since the epoch; null: not. */
export interface Secret {
  secret: string;
  expires_at: number | null;
}

const overlapMs = 86_400_000;

/** The secrets that sign at `now`, the newest first. */
export function signingSecrets(webhook: Pick<WebhookRow, "secrets">, now: number): string[] {
  return validSecrets(webhook, now).map(({ secret }) => secret);
}

/** The secrets that are good at `now`, the newest first. */
export function validSecrets({ secrets }: Pick<WebhookRow, "secrets">, now: number): Secret[] {
  return (JSON.parse(secrets) as Secret[]).filter(({ expires_at }) => expires_at === null || expires_at > now);
}

/** A new secret beside the present one, which stays good for a day; an older one of an earlier rotation ends. */
export function rotateSecrets(webhook: Pick<WebhookRow, "secrets">, now: number): Secret[] {
  const [current] = validSecrets(webhook, now);
  const fresh: Secret = { secret: createSecret(), expires_at: null };
  return current === undefined ? [fresh] : [fresh, { ...current, expires_at: now + overlapMs }];
}
