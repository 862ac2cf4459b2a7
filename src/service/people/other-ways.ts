// Keeps people from removing their last way to sign in without a link that an owner makes.
import { ProblemError } from "../http/problem.ts";
import type { Db } from "../store/store.ts";
import { passkeysOf } from "./store/passkeys.ts";
import { passkeySiteAt } from "./passkeys/site.ts";
import { findPassword } from "./passwords/passwords.ts";
import { identitiesOf } from "./sso/identities.ts";
import type { SingleSignOn } from "./sso/single-sign-on.ts";

/** Where the person is: a passkey of another host, or an account of a provider that the service no longer uses, signs nobody in here. */
interface Place {
  baseUrl: string | null;
  sso: SingleSignOn | null;
}

/**
 * @param removed the passkey or the linked account that is about to go
 * @throws ProblemError 409 if the person could not sign in without it.
 */
export async function requireAnotherWay(
  db: Db,
  { baseUrl, sso }: Place,
  removed: { id: string; user_id: string; host?: string },
): Promise<void> {
  if ((await findPassword(db, removed.user_id)) !== undefined) return;
  const hosts = [removed.host, passkeySiteAt(baseUrl)?.host];
  const passkeys = await passkeysOf(db, removed.user_id);
  if (passkeys.some(({ id, host }) => id !== removed.id && hosts.includes(host))) return;
  const accounts = await identitiesOf(db, removed.user_id);
  if (accounts.some(({ id, issuer }) => id !== removed.id && issuer === sso?.config.issuer)) return;
  throw new ProblemError("in-use", "It is the only way you can sign in: set a password or add a passkey first");
}
