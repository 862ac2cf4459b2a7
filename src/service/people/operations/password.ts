// The operation that sets a person's password.
import type { Clock } from "../../../base/clock.ts";
import { PasswordChange } from "../../../protocol/operator/sessions.ts";
import { invalidField, ProblemError } from "../../http/problem.ts";
import type { BrowserCookies } from "../sessions/browser-cookies.ts";
import { forgetBrowsers } from "../sessions/known-browsers.ts";
import { requireRoom } from "../emails.ts";
import { findPassword, type Passwords } from "../passwords/passwords.ts";
import { proofMs, requireProof } from "../sessions/proof.ts";
import { endOtherSessions } from "../sessions/sessions.ts";
import { withdrawSignInLinks } from "../sessions/sign-in-links.ts";
import type { TokenExpiry } from "../token-expiry.ts";
import type { Db, Store } from "../../store/store.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import { readSession, recordProof } from "../store/tokens.ts";
import { readUser } from "../store/users.ts";

interface PasswordDependencies {
  clock: Clock;
  cookies: BrowserCookies;
  passwords: Passwords;
  store: Store;
  tokens: TokenExpiry;
}

const operation = operationsWith<PasswordDependencies>();

export const passwordOperations: readonly Operation<PasswordDependencies>[] = [
  operation({
    name: "setPassword",
    tag: "users",
    method: "PUT",
    path: "/me/password",
    summary: "Set your password",
    description:
      "Only for a person who is signed in, who must have an email. Your other sessions end, unused sign-in links become invalid, and other browsers are forgotten; access tokens stay valid.",
    agent: false,
    caller: "operator",
    session: { wholePerson: true },
    body: PasswordChange,
    example: { password: "four words nobody guesses" },
    status: 204,
    output: NoContent,
    errors: ["invalid", "conflict", "proof-required"],
    async run(dependencies, context, { body }, unitOfWork) {
      const { clock, cookies, passwords, store, tokens } = dependencies;
      const { operator, address, requestId } = context;
      if (!operator.isSession) {
        throw new ProblemError("forbidden", "Only a person who is signed in sets their password, not a program with an access token");
      }
      const browserSecret = cookies.browserSecret(context);
      const user = await readUser(store.db, operator.userId);
      const { name, email } = user;
      if (email === null) throw invalidField("/password", "needs your email, with which you sign in: set it first (PATCH /me)");
      await requireRoom(store.db, user);
      if (body.current_password !== undefined) {
        await passwords.prove(operator, body.current_password, "/current_password", { address, requestId, browserSecret });
      } else if ((await findPassword(store.db, operator.userId)) === undefined) requireProof(operator, clock.now());
      else await requireFreshLink(store.db, operator.tokenId, Math.trunc(clock.now()));
      const hash = await passwords.hashNew(body.password, { name, email });
      await unitOfWork.write(async (db, { tokenId }) => {
        const { userId } = operator;
        const now = Math.trunc(clock.now());
        await passwords.set(db, await readUser(db, userId), hash);
        const ended = await endOtherSessions(db, userId, tokenId, now);
        await withdrawSignInLinks(db, userId);
        await forgetBrowsers(db, userId, browserSecret);
        await recordProof(db, tokenId, now);
        return { result: undefined, committed: await tokens.end(db, ended) };
      });
    },
  }),
];

/** Allows a person who lost their password to set another. @throws ProblemError 422 unless a link began the session just now. */
async function requireFreshLink(db: Db, sessionId: string, now: number): Promise<void> {
  const { method, created_at } = await readSession(db, sessionId);
  if (method === "link" && created_at > now - proofMs) return;
  throw invalidField("/current_password", "is needed, since you have a password. If you lost it, sign in with a new sign-in link");
}
