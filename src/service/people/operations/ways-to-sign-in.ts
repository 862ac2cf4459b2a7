// The ways to sign in: a link, a password, a passkey, single sign-on, an invitation.
import type { ServiceCore } from "../../core.ts";
import type { NewSession } from "../../../protocol/operator/sessions.ts";
import { ProblemError } from "../../http/problem.ts";
import type { SmtpConfig } from "../../alerts/mail/smtp.ts";
import type { AuditLog } from "../audit.ts";
import type { BrowserCookies } from "../sessions/browser-cookies.ts";
import { findPendingInvitation, joinTeam } from "../invitations.ts";
import { findProvenUser, hasRoom, proveEmail } from "../emails.ts";
import type { PeopleMails } from "../mails/people-mails.ts";
import { createUser } from "../store/users.ts";
import { recordPasskeyUse, type Passkeys } from "../passkeys/passkeys.ts";
import { findPassword, type Attempt, type Passwords } from "../passwords/passwords.ts";
import { useSignInLink } from "../sessions/sign-in-links.ts";
import type { SingleSignOn } from "../sso/single-sign-on.ts";
import type { TokenExpiry } from "../token-expiry.ts";
import type { Db } from "../../store/store.ts";
import { type Person, prepareSso } from "./sso-person.ts";

export interface SignInDependencies extends ServiceCore {
  audit: AuditLog;
  cookies: BrowserCookies;
  mailServer: SmtpConfig | null;
  passkeys: Passkeys;
  passwords: Passwords;
  peopleMails: PeopleMails;
  sso: SingleSignOn | null;
  tokens: TokenExpiry;
}

/**
 * Checks how a person signs in: slow checks run before the transaction of the sign-in.
 * @returns the rest, which runs in that transaction
 * @throws ProblemError 401, 422 or 429; the rest throws 401, 403 or 409.
 */
export async function prepareSignIn(
  dependencies: SignInDependencies,
  body: NewSession,
  from: Omit<Attempt, "email" | "password"> & { baseUrl: string | null; ssoSecret: string | undefined },
): Promise<(db: Db) => Promise<Person>> {
  switch (body.method) {
    case "link":
      return async (db) => {
        const link = await useSignInLink(dependencies, db, body.secret);
        return { userId: link.userId, teamId: link.teamId, link, audited: [] };
      };
    case "password": {
      const userId = await dependencies.passwords.verify({ ...from, email: body.email, password: body.password });
      return async () => ({ userId, teamId: null, audited: [] });
    }
    case "passkey": {
      const used = await dependencies.passkeys.verify(body.passkey, from);
      return async (db) => {
        await recordPasskeyUse(db, used, Math.trunc(dependencies.clock.now()));
        const audited = [{ action: "usePasskey", resourceType: "users", resourceId: used.row.id }];
        return { userId: used.row.user_id, teamId: null, audited };
      };
    }
    case "invitation":
      return prepareInvitation(dependencies, body, from);
    case "sso":
      return prepareSso(dependencies, body.response, from.ssoSecret);
  }
}

/**
 * Makes the invited person a member: the one who has proven the invitation's email, who gives their password; else the one whose
 * password it is of those who carry the email; else a new user, whoever else carries the email.
 */
async function prepareInvitation(
  dependencies: SignInDependencies,
  { secret, name: ownName, password }: Extract<NewSession, { method: "invitation" }>,
  from: Omit<Attempt, "email" | "password">,
): Promise<(db: Db) => Promise<Person>> {
  const { clock, passwords, store } = dependencies;
  const { email, name: givenName, token_expires_at } = await findPendingInvitation(store.db, secret, Math.trunc(clock.now()));
  if (token_expires_at !== null) {
    throw new ProblemError("forbidden", "You were invited by a program whose access ends: ask an owner to invite you in the console");
  }
  const name = ownName ?? givenName;
  const proven = await findProvenUser(store.db, email);
  const hasPassword = proven !== undefined && (await findPassword(store.db, proven.id)) !== undefined;
  const attempt = { ...from, email, password };
  const knownId = hasPassword ? await passwords.verify(attempt, proven.id) : await passwords.findInvited(attempt);
  const hash = knownId === null ? await passwords.hashNew(password, { name, email }) : null;
  return async (db) => {
    const now = Math.trunc(clock.now());
    // It may have been used or withdrawn meanwhile.
    const invitation = await findPendingInvitation(db, secret, now);
    const user = knownId === null ? await createUser(dependencies, db, { name, email }) : null;
    const userId = user?.id ?? knownId!;
    const isNowProven = invitation.isMailed && proven?.id !== userId && (await proveEmail(db, userId, email));
    if (user !== null) {
      const carrier = { ...user, proven_email: isNowProven ? email : null };
      // Strangers who have taken all places of the email keep nobody out: the person is in, and then sets another one or a passkey.
      if (await hasRoom(db, carrier)) await passwords.set(db, carrier, hash!);
    }
    await joinTeam(db, invitation, userId, now);
    const audited = [{ action: "acceptInvitation", resourceType: "invitations", resourceId: invitation.id }];
    if (isNowProven) audited.push({ action: "proveEmail", resourceType: "users", resourceId: userId });
    return { userId, teamId: invitation.team_id, audited };
  };
}
