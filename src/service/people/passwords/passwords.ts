// The passwords of people: checks them when somebody signs in, and changes them.
import type { Clock } from "../../../base/clock.ts";
import type { MakeLimit } from "../../http/attempts/attempt-limit.ts";
import { ProblemError } from "../../http/problem.ts";
import type { PasswordRow, UserRow } from "../../store/people-tables.ts";
import type { Db, Store } from "../../store/store.ts";
import type { Operator } from "../operator.ts";
import type { FailedSignIns } from "../sessions/failed-sign-ins.ts";
import { findBrowser } from "../sessions/known-browsers.ts";
import { checkNewPassword } from "./check-password.ts";
import { Guesses } from "./guesses.ts";
import { PasswordHashing } from "./hashing.ts";

interface PasswordDependencies {
  clock: Clock;
  failures: FailedSignIns;
  makeLimit: MakeLimit;
  store: Store;
}

/** An attempt to sign in with a password. */
export interface Attempt {
  email: string;
  password: string;
  address: string;
  requestId: string;
  /** The secret that marks a browser; undefined: it has none. */
  browserSecret: string | undefined;
}

const wrongPassword = "a wrong password was given";

export class Passwords {
  readonly #dependencies: PasswordDependencies;
  readonly #hashing = new PasswordHashing();
  readonly #guesses: Guesses;

  constructor(dependencies: PasswordDependencies) {
    this.#dependencies = dependencies;
    this.#guesses = new Guesses(dependencies.makeLimit);
  }

  /**
   * Checks an email and a password. An email that nobody signs in with takes as long and gets the same answer as a wrong password.
   * @returns the user's id @throws ProblemError 401; 429 after too many wrong guesses.
   */
  async verify({ email, password, address, requestId, browserSecret }: Attempt): Promise<string> {
    const { db } = this.#dependencies.store;
    const row = await findByEmail(db, email);
    const browser = await findBrowser(db, browserSecret);
    const isKnown = row !== undefined && browser?.user_id === row.user_id;
    const guess = { email, address, browser: isKnown ? browser.secret_hash : null };
    const isRight = await this.#guesses.attempt(guess, () =>
      this.#hashing.verify(row?.hash ?? null, password, isKnown ? "known" : "stranger"),
    );
    if (!isRight || row === undefined) {
      if (row !== undefined) this.#dependencies.failures.record(row.user_id, wrongPassword, { address, requestId });
      throw new ProblemError(
        "unauthorized",
        "The email or the password is wrong. If you lost your password, ask whoever runs the service for a sign-in link",
      );
    }
    await this.#renewHash(row, password);
    return row.user_id;
  }

  /** Checks the password of a person who is signed in. @throws ProblemError 422 if it is wrong or they have none; 429. */
  async prove(
    { userId, tokenId }: Pick<Operator, "userId" | "tokenId">,
    password: string,
    pointer: "/password" | "/current_password",
    from: Omit<Attempt, "email" | "password">,
  ) {
    const row = await findPassword(this.#dependencies.store.db, userId);
    const wrong = (detail: string): ProblemError => new ProblemError("invalid", `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
    if (row === undefined) throw wrong("you have no password yet: sign in again with a new sign-in link");
    // Whoever has the session is known, but must not guess without limit either. Their guesses are no burden to other sessions.
    const guess = { email: row.email, address: from.address, browser: tokenId };
    if (!(await this.#guesses.attempt(guess, () => this.#hashing.verify(row.hash, password, "known")))) {
      this.#dependencies.failures.record(userId, wrongPassword, from);
      throw wrong("is not your password");
    }
  }

  /** Checks and hashes a new password. @throws ProblemError 422 if it is too easy to guess. */
  async hashNew(password: string, of: { name: string; email: string }): Promise<string> {
    checkNewPassword(password, of);
    return this.#hashing.hash(password);
  }

  /** Sets a user's password. @throws ProblemError 409 if another user signs in with the same email; 422 without an email. */
  async set(db: Db, { id: user_id, email }: UserRow, hash: string): Promise<void> {
    if (email === null) throw new ProblemError("invalid", "You sign in with your email, and have none: set it first");
    await requireFreeEmail(db, user_id, email);
    const row: PasswordRow = { user_id, email, hash, changed_at: Math.trunc(this.#dependencies.clock.now()) };
    await db
      .insertInto("passwords")
      .values(row)
      .onConflict((conflict) => conflict.column("user_id").doUpdateSet(row))
      .execute();
  }

  async #renewHash({ user_id, hash: before }: PasswordRow, password: string): Promise<void> {
    if (!this.#hashing.isOutdated(before)) return;
    const hash = await this.#hashing.hash(password);
    await this.#dependencies.store.db
      .updateTable("passwords")
      .set({ hash })
      .where("user_id", "=", user_id)
      .where("hash", "=", before)
      .execute();
  }
}

/** The password of a user; undefined: they have none. */
export function findPassword(db: Db, userId: string): Promise<PasswordRow | undefined> {
  return db.selectFrom("passwords").selectAll().where("user_id", "=", userId).executeTakeFirst();
}

/** The password that signs in with an email; undefined: there is none. */
export function findByEmail(db: Db, email: string): Promise<PasswordRow | undefined> {
  return db.selectFrom("passwords").selectAll().where("email", "=", email).executeTakeFirst();
}

/** @throws ProblemError 409 if another user signs in with this email. */
export async function requireFreeEmail(db: Db, userId: string, email: string): Promise<void> {
  const other = await findByEmail(db, email);
  if (other === undefined || other.user_id === userId) return;
  throw new ProblemError("conflict", "Another person of this service signs in with this email: use another one");
}
