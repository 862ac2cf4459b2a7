// The passwords of people: checks them when somebody signs in, and changes them.
import type { Clock } from "../../../base/clock.ts";
import type { MakeLimit } from "../../http/limits/attempt-limit.ts";
import { ProblemError } from "../../http/problem.ts";
import type { PasswordRow, UserRow } from "../../store/tables/people.ts";
import type { Db, Store } from "../../store/store.ts";
import { isProven, maxUnproven, requireRoom } from "../emails.ts";
import type { Operator } from "../operator.ts";
import type { FailedSignIns } from "../sessions/failed-sign-ins.ts";
import { findBrowser } from "../sessions/known-browsers.ts";
import { checkNewPassword } from "./check-password.ts";
import { Guesses } from "./guesses.ts";
import type { Lane } from "./hashing-turns.ts";
import type { PasswordHashing } from "./hashing.ts";

interface PasswordDependencies {
  clock: Clock;
  failures: FailedSignIns;
  hashing: PasswordHashing;
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

/** A password, and whether its person has proven the email. */
type Carrier = PasswordRow & { isProven: boolean };

const wrongPassword = "a wrong password was given";
// Of those who carry an email: the person who has proven it, and others.
const places = maxUnproven + 1;

export class Passwords {
  readonly #dependencies: PasswordDependencies;
  readonly #guesses: Guesses;

  constructor(dependencies: PasswordDependencies) {
    this.#dependencies = dependencies;
    this.#guesses = new Guesses(dependencies.makeLimit);
  }

  /**
   * Checks an email and a password, which decides whose account it is if several people carry the email. An email that nobody signs in
   * with takes as long and gets the same answer as a wrong password.
   * @param only the user whose password it must be, by default anybody's who carries the email
   * @returns the user's id @throws ProblemError 401; 429 after too many wrong guesses.
   */
  async verify(attempt: Attempt, only?: string): Promise<string> {
    const all = await findCarriers(this.#dependencies.store.db, attempt.email);
    const carriers = only === undefined ? all : all.filter(({ user_id }) => user_id === only);
    const found = await this.#findRight(attempt, carriers);
    if (found !== null) return found.user_id;
    // Whoever carries the email of another person is not told of wrong passwords of that person.
    const concerned = carriers.some((each) => each.isProven) ? carriers.filter((each) => each.isProven) : carriers;
    for (const { user_id } of concerned) this.#dependencies.failures.record(user_id, wrongPassword, attempt);
    throw new ProblemError(
      "unauthorized",
      "The email or the password is wrong. If you lost your password, ask whoever runs the service for a sign-in link",
    );
  }

  /**
   * Whose password an invited person gives.
   * @returns null: nobody's who carries the email, or it was guessed too often, so that nobody keeps the person out by guessing
   */
  async findInvited({ email, password }: Pick<Attempt, "email" | "password">): Promise<string | null> {
    const carriers = await findCarriers(this.#dependencies.store.db, email);
    let found: Carrier | null = null;
    // Each guess costs an invitation. Many people may join from one address.
    await this.#guesses.attemptIfAllowed({ email, address: null, browser: null }, async () => {
      found = await this.#compare(carriers, password, "stranger");
      return found !== null;
    });
    return (found as Carrier | null)?.user_id ?? null;
  }

  async #findRight({ email, password, address, browserSecret }: Attempt, carriers: readonly Carrier[]): Promise<Carrier | null> {
    const browser = await findBrowser(this.#dependencies.store.db, browserSecret);
    const own = carriers.find(({ user_id }) => user_id === browser?.user_id);
    let found: Carrier | null = null;
    const compare = (with_: readonly Carrier[], lane: Lane) => async () => {
      found = await this.#compare(with_, password, lane);
      return found !== null;
    };
    const byStrangers = { email, address, browser: null };
    if (own === undefined) await this.#guesses.attempt(byStrangers, compare(carriers, "stranger"));
    else {
      const byOwn = { email, address, browser: browser!.secret_hash };
      const isRight = await this.#guesses.attempt(byOwn, compare([own], "known"));
      // The mark of a browser is of no use for the accounts of others who carry the same email: to them it is a stranger's.
      if (!isRight && !own.isProven) {
        const others = carriers.filter((each) => each !== own);
        await this.#guesses.attemptIfAllowed(byStrangers, compare(others, "stranger"));
      }
    }
    return found;
  }

  /** Compares a password with those of all carriers; it takes as long for any number of them. */
  async #compare(carriers: readonly Carrier[], password: string, lane: Lane): Promise<Carrier | null> {
    const hashes = carriers.map(({ hash }) => hash);
    const place = await this.#dependencies.hashing.find(hashes, password, lane, places);
    if (place === null) return null;
    await this.#renewHash(carriers[place]!, password);
    return carriers[place]!;
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
    if (!(await this.#guesses.attempt(guess, () => this.#dependencies.hashing.verify(row.hash, password, "known")))) {
      this.#dependencies.failures.record(userId, wrongPassword, from);
      throw wrong("is not your password");
    }
  }

  /** Checks and hashes a new password. @throws ProblemError 422 if it is too easy to guess. */
  async hashNew(password: string, of: { name: string; email: string }): Promise<string> {
    checkNewPassword(password, of);
    return this.#dependencies.hashing.hash(password);
  }

  /** Sets a user's password. @throws ProblemError 409 if too many carry the email unproven; 422 without an email. */
  async set(db: Db, user: UserRow, hash: string): Promise<void> {
    const { id: user_id, email } = user;
    if (email === null) throw new ProblemError("invalid", "You sign in with your email, and have none: set it first");
    await requireRoom(db, user);
    const row: PasswordRow = { user_id, email, hash, changed_at: Math.trunc(this.#dependencies.clock.now()) };
    await db
      .insertInto("passwords")
      .values(row)
      .onConflict((conflict) => conflict.column("user_id").doUpdateSet(row))
      .execute();
  }

  async #renewHash({ user_id, hash: before }: PasswordRow, password: string): Promise<void> {
    if (!this.#dependencies.hashing.isOutdated(before)) return;
    const hash = await this.#dependencies.hashing.hash(password);
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

/** The passwords of those who carry an email: first of the person who has proven it, then of those who carry it for longest. */
async function findCarriers(db: Db, email: string): Promise<Carrier[]> {
  const rows = await db
    .selectFrom("passwords")
    .innerJoin("users", "users.id", "passwords.user_id")
    .selectAll("passwords")
    .select("users.proven_email")
    .where("passwords.email", "=", email)
    .orderBy("users.id")
    .execute();
  const carriers = rows.map(({ proven_email, ...row }) => ({ ...row, isProven: isProven({ email: row.email, proven_email }) }));
  return carriers.toSorted((a, b) => Number(b.isProven) - Number(a.isProven)).slice(0, places);
}
