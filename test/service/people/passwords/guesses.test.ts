// Guessing passwords: limited, without locking out whom the account belongs to.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createSystemClock } from "../../../../src/base/clock.ts";
import { limitsInMemory } from "../../../../src/service/http/limits/limits-in-memory.ts";
import { ProblemError } from "../../../../src/service/http/problem.ts";
import { Guesses, type Guess } from "../../../../src/service/people/passwords/guesses.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { TestService } from "../../harness.ts";
import { Browser, cheapPasswords, goodPassword } from "../browser.ts";

const minuteMs = 60_000;
const windowMs = 15 * minuteMs;

test("[SGN19] after ten wrong passwords strangers wait, but not the person in a browser that they have used", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { ...cheapPasswords, clock });
  const own = await Browser.ofOwnerWithPassword(api);
  const signIn = (browser: Browser, password: string) =>
    browser.call("POST", "session", { method: "password", email: "ada@example.com", password });
  const guesses = await Promise.all(Array.from({ length: 14 }, (_each, place) => signIn(new Browser(api.service.url), `guess ${place}`)));
  expect([401, 429].map((status) => guesses.filter((each) => each.status === status).length)).toEqual([10, 4]);
  const refused = guesses.find(({ status }) => status === 429)!;
  expect(Number(refused.headers.get("retry-after"))).toBe(15 * 60);
  // Even the right one: an answer would tell that it is right.
  expect((await signIn(new Browser(api.service.url), goodPassword)).status).toBe(429);
  await own.call("DELETE", "session");
  expect(own.cookie("browser")).toBeDefined();
  expect((await signIn(own, goodPassword)).status).toBe(201);
  // Their own mistakes count apart.
  for (let mistake = 0; mistake < 10; mistake += 1) expect((await signIn(own, "mistyped")).status).toBe(401);
  expect((await signIn(own, goodPassword)).status).toBe(429);
  clock.advance(windowMs);
  expect((await signIn(new Browser(api.service.url), goodPassword)).status).toBe(201);
  expect((await signIn(own, goodPassword)).status).toBe(201);
});

test("[SGN19] the mark of a browser is of no use for another person's account", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  await Browser.ofOwnerWithPassword(api);
  const { body: invitation } = await api.call("POST", "invitations", { email: "eve@example.com", name: "Eve", role: "viewer" });
  const eve = await Browser.signIn(api, { method: "invitation", secret: invitation.secret, password: "five brave badgers sing" });
  const guess = () => eve.call("POST", "session", { method: "password", email: "ada@example.com", password: "not the password" });
  for (let wrong = 0; wrong < 10; wrong += 1) expect((await guess()).status).toBe(401);
  expect((await guess()).status).toBe(429);
});

test("[SGN20] strangers guess an account at most 10 times in 15 minutes and 100 times a day, an address any account 30 times in 15 minutes", async () => {
  const step = fc.record({
    account: fc.constantFrom("a", "b", "c", "d", "e"),
    address: fc.constantFrom("192.0.2.1", "2001:db8::1", "2001:db8::ffff", "198.51.100.7"),
    browser: fc.constantFrom(null, null, null, "mine"),
    waitMs: fc.nat(8 * minuteMs),
    isRight: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 100, maxLength: 400 }), async (steps) => {
      const clock = new FakeClock();
      const guesses = new Guesses(limitsInMemory(clock));
      const wrong: { at: number; guess: Guess }[] = [];
      for (const { account, address, browser, waitMs, isRight } of steps) {
        clock.advance(waitMs * (waitMs % 2));
        const guess = { email: account, address, browser };
        try {
          if (!(await guesses.attempt(guess, async () => isRight))) wrong.push({ at: clock.monotonic(), guess });
        } catch (error) {
          expect(error).toBeInstanceOf(ProblemError);
        }
        const most = (within: number, keep: (each: Guess) => boolean) =>
          wrong.filter(({ at, guess: each }) => at > clock.monotonic() - within && keep(each)).length;
        expect(most(windowMs, (each) => each.browser === null && each.email === account)).toBeLessThanOrEqual(10);
        expect(most(24 * 60 * minuteMs, (each) => each.browser === null && each.email === account)).toBeLessThanOrEqual(100);
        const network = address.slice(0, 8);
        expect(most(windowMs, (each) => each.browser === null && each.address!.startsWith(network))).toBeLessThanOrEqual(30);
        expect(most(windowMs, (each) => each.browser !== null)).toBeLessThanOrEqual(10);
      }
    }),
    { numRuns: 20 },
  );
  // Accounts of any number, all from one network.
  const many = new Guesses(limitsInMemory(new FakeClock()));
  const wrong = (place: number) => many.attempt({ email: `a${place}`, address: `2001:db8::${place}`, browser: null }, async () => false);
  for (let place = 1; place <= 30; place += 1) expect(await wrong(place)).toBe(false);
  await expect(wrong(31)).rejects.toMatchObject({ kind: "too-many" });
  // Right passwords cost nothing. A real clock goes on while they are checked.
  const guesses = new Guesses(limitsInMemory(createSystemClock()));
  for (let each = 0; each < 200; each += 1)
    expect(await guesses.attempt({ email: "a", address: "192.0.2.1", browser: null }, async () => true)).toBe(true);
});
