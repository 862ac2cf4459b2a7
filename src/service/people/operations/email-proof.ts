// Operations by which a person proves that their email is theirs: a code that is mailed to it.
import type { Clock } from "../../../base/clock.ts";
import { User } from "../../../protocol/operator/people.ts";
import { EmailCode, SentEmailCode } from "../../../protocol/operator/sessions.ts";
import type { AttemptLimit } from "../../http/limits/attempt-limit.ts";
import { invalidField, ProblemError } from "../../http/problem.ts";
import { tooManyRequests } from "../../http/limits/rate-limit.ts";
import { isProven, proveEmail } from "../emails.ts";
import { hashCode } from "../mails/mailed-secrets.ts";
import type { PeopleMails } from "../mails/people-mails.ts";
import type { Operator } from "../operator.ts";
import { showUser } from "../people-resources.ts";
import { deleteEmailProof, findEmailProof, readUser } from "../store/users.ts";
import type { Store } from "../../store/store.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";

interface EmailProofDependencies {
  clock: Clock;
  /** Limits wrong codes of a person. */
  codeGuesses: AttemptLimit;
  peopleMails: PeopleMails;
  store: Store;
}

const operation = operationsWith<EmailProofDependencies>();

export const emailProofOperations: readonly Operation<EmailProofDependencies>[] = [
  operation({
    name: "sendEmailCode",
    tag: "users",
    method: "POST",
    path: "/me/email/code",
    summary: "Send a code to your email",
    description:
      "Only for a person who is signed in. Mails a code to their email, with which `POST /me/email/proof` proves within an hour that it is theirs. An earlier code becomes invalid.",
    agent: false,
    caller: "operator",
    session: { wholePerson: true },
    status: 202,
    output: SentEmailCode,
    errors: ["forbidden", "invalid", "wrong-status", "too-many"],
    async run({ peopleMails, store }, { operator, teamId }, _input, unitOfWork) {
      requirePerson(operator);
      if (!peopleMails.isOn) {
        throw new ProblemError(
          "wrong-status",
          "The service mails nothing to people: start it with --smtp-host, --smtp-from and --public-url",
        );
      }
      const user = await readUser(store.db, operator.userId);
      const { email } = user;
      if (email === null) throw new ProblemError("invalid", "You have no email: set it first (PATCH /me)");
      if (isProven(user)) throw new ProblemError("wrong-status", "You have proven your email already");
      await peopleMails.countCode(user.id, email);
      return unitOfWork.write(async (db) => {
        await peopleMails.sendCode(db, teamId, user.id, email);
        return { result: { email } };
      });
    },
  }),
  operation({
    name: "proveEmail",
    tag: "users",
    method: "POST",
    path: "/me/email/proof",
    summary: "Prove your email",
    description:
      "Only for the person who asked for the code (`POST /me/email/code`). A proven email is one person's alone; others who carry it keep it, unproven.",
    agent: false,
    caller: "operator",
    session: { wholePerson: true },
    body: EmailCode,
    example: { code: "BCDF-GHJK" },
    status: 200,
    output: User,
    errors: ["forbidden", "invalid", "conflict", "too-many"],
    async run({ clock, codeGuesses }, { operator }, { body }, unitOfWork) {
      requirePerson(operator);
      const { waitMs, takeBack } = await codeGuesses.take(operator.userId);
      if (waitMs > 0) throw tooManyRequests("Too many wrong codes", waitMs);
      const user = await unitOfWork.write(async (db) => {
        const sent = await findEmailProof(db, operator.userId);
        const { email } = await readUser(db, operator.userId);
        const isRight =
          sent !== undefined && sent.email === email && sent.expires_at > clock.now() && sent.code_hash === hashCode(body.code);
        if (!isRight) throw invalidField("/code", "is wrong or too old: send a new one (POST /me/email/code)");
        if (!(await proveEmail(db, operator.userId, sent.email))) {
          throw new ProblemError("conflict", "Another account here has proven this email: sign in with that one, or use another email");
        }
        await deleteEmailProof(db, operator.userId);
        return { result: showUser(await readUser(db, operator.userId)) };
      });
      await takeBack();
      return user;
    },
  }),
];

/** @throws ProblemError 403 for a program. */
function requirePerson({ isSession }: Operator): void {
  if (!isSession)
    throw new ProblemError("forbidden", "Only a person who is signed in proves their email, not a program with an access token");
}
