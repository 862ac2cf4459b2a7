// Passwords: what is accepted, how they are stored, and signing in with them.
import fc from "fast-check";
import { expect, test } from "vitest";
import { findPasswordFault } from "../../../../src/service/people/passwords/check-password.ts";
import { HashingTurns } from "../../../../src/service/people/passwords/hashing-turns.ts";
import { PasswordHashing } from "../../../../src/service/people/passwords/hashing.ts";
import { ProblemError } from "../../../../src/service/http/problem.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { errorPointers, TestService } from "../../harness.ts";
import { Browser, cheapPasswords, goodPassword } from "../browser.ts";
import { createTokenFor, inviteMember, owner } from "../people.ts";
import { openTables } from "../../tables-of.ts";

const ada = { name: "Ada Lovelace", email: "ada.king@engines.example" };

test("[SGN3] the first owner sets an email and a password by a link, and then signs in with them", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  const offered = async () => (await new Browser(api.service.url).call("GET", "sign-in")).body;
  expect(await offered()).toEqual({ methods: ["password"], sso_name: null, passkey_host: null, can_mail: false, is_first_run: true });
  const browser = await Browser.ofOwner(api);
  const first = (await browser.call("GET", "session")).body;
  expect(first).toMatchObject({ method: "link", has_password: false, user: { email: null } });
  expect(errorPointers(await browser.call("PUT", "me/password", { password: goodPassword }))).toEqual(["/password"]);
  expect((await browser.call("PATCH", "me", { name: "Ada", email: "Ada@Example.com" })).body.email).toBe("ada@example.com");
  expect((await browser.call("PUT", "me/password", { password: goodPassword })).status).toBe(204);
  expect((await offered()).is_first_run).toBe(false);

  const other = await Browser.signIn(api, { method: "password", email: "ADA@example.com", password: goodPassword });
  const second = (await other.call("GET", "session")).body;
  expect(second).toMatchObject({ method: "password", has_password: true, role: "owner", user: { name: "Ada" } });
  expect(second.id).not.toBe(first.id);
  expect(
    (await new Browser(api.service.url).call("POST", "session", { method: "password", email: "ada@example.com", password: "x" })).status,
  ).toBe(401);
});

test("[SGN4] passwords are stored as argon2id with OWASP's parameters, each with its own salt, and rehashed when those change", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  await Browser.ofOwnerWithPassword(api);
  using file = openTables(folder.path);
  const stored = () => String(file.prepare("SELECT hash FROM passwords").get()!["hash"]);
  const form = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/;
  expect(stored()).toMatch(form);
  const hashing = new PasswordHashing();
  expect(await hashing.hash(goodPassword)).not.toBe(await hashing.hash(goodPassword));

  // As an earlier version stored it, with half of the memory.
  const weak = "$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$";
  const { argon2Sync } = await import("node:crypto");
  const parameters = { message: goodPassword, nonce: Buffer.from("saltsaltsaltsalt"), memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
  const digest = argon2Sync("argon2id", parameters).toString("base64").replaceAll("=", "");
  file.prepare("UPDATE passwords SET hash = ?").run(weak + digest);
  const signIn = (password: string) =>
    new Browser(api.service.url).call("POST", "session", { method: "password", email: "ada@example.com", password });
  expect((await signIn("something else")).status).toBe(401);
  expect(stored()).toBe(weak + digest);
  expect((await signIn(goodPassword)).status).toBe(201);
  expect(stored()).toMatch(form);
  expect((await signIn(goodPassword)).status).toBe(201);
});

test("[SGN5] a new password has 12 to 256 characters of any kind, and is neither common nor made of the person's name or email", () => {
  const fault = (password: string) => findPasswordFault(password, ada);
  for (const good of [
    goodPassword,
    "correct horse battery staple",
    "пароль для экрана в холле",
    "𝕜𝕖𝕪𝕓𝕠𝕒𝕣𝕕-𝕠𝕗-𝕒𝕕𝕒𝕒",
    "1815-12-10 was a Sunday",
    "x".repeat(200) + "abcd",
  ]) {
    expect([good, fault(good)]).toEqual([good, null]);
  }
  const bad = {
    "at least 12 characters": ["", "short", "elevenchars", "e\u0301".repeat(7)],
    "different characters": ["aaaaaaaaaaaa", "abababababab", "111122223333"],
    "a sequence": ["123456789012", "abcdefghijklmn", "987654321098"],
    "your name or email": ["AdaLovelace1815", "lovelace-lovelace", "ada.king@engines.example", "Kings Engines!"],
    "used by many": [
      "password1234",
      "Password2026!!",
      "qwertyuiop12",
      "letmein-letmein",
      "Welcome Admin 1",
      "iloveyou123456",
      "ＰＡＳＳＷＯＲＤ１２３４",
    ],
  };
  for (const [reason, passwords] of Object.entries(bad))
    for (const password of passwords) expect([password, fault(password)]).toEqual([password, expect.stringContaining(reason)]);
  // Random ones are always accepted: no rule asks for kinds of characters.
  fc.assert(fc.property(fc.uuid(), (password) => fault(password) === null));
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 300 }),
      (password) => fault(password) === null || typeof fault(password) === "string",
    ),
  );
});

test("[SGN5] a password is the same however its letters are composed, and longer than 256 characters is refused", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const browser = await Browser.ofOwner(api);
  await browser.call("PATCH", "me", { email: "ada@example.com" });
  const set = (password: string) => browser.call("PUT", "me/password", { password });
  expect(errorPointers(await set("x1".repeat(129)))).toEqual(["/password"]);
  expect(errorPointers(await set("ada12345"))).toEqual(["/password"]);
  expect((await set("Gr\u00fc\u00dfe aus K\u00f6ln")).status).toBe(204);
  await Browser.signIn(api, { method: "password", email: "ada@example.com", password: "Gru\u0308\u00dfe aus Ko\u0308ln" });
});

test("[SGN6] an email that nobody signs in with gets the same answer as a wrong password, after the same work for any number of people", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  await Browser.ofOwnerWithPassword(api);
  const signIn = async (email: string) => {
    const { status, body, headers } = await new Browser(api.service.url).call("POST", "session", {
      method: "password",
      email,
      password: "not the password",
    });
    return { status, ...body, request_id: null, cookies: headers.getSetCookie() };
  };
  expect(await signIn("ada@example.com")).toEqual(await signIn("nobody@example.com"));
  // An invited person who has no password yet is like nobody.
  const invited = await inviteMember(api, await owner(api), "viewer", "eve");
  expect(await signIn(`eve.${invited.teamId}@example.com`)).toEqual(await signIn("nobody@example.com"));

  const computed: object[] = [];
  const hashing = new PasswordHashing(cheapPasswords.passwordWork, async (_password, { algorithm, parameters }) => {
    computed.push({ algorithm, parameters });
    return Buffer.alloc(32, 1);
  });
  const stored = await hashing.hash(goodPassword);
  const workOf = async (hashes: readonly string[]) => {
    computed.length = 0;
    await hashing.find(hashes, "not the password", "stranger", 4);
    return [...computed];
  };
  const work = { algorithm: "argon2id", parameters: cheapPasswords.passwordWork };
  for (const hashes of [[], [stored], [stored, stored, stored]]) expect(await workOf(hashes)).toEqual([work, work, work, work]);
});

test("[SGN7] two passwords are hashed at a time; of those that wait the ones from known browsers come first; more than 20 are refused", async () => {
  const turns = new HashingTurns();
  const order: string[] = [];
  const ends: (() => void)[] = [];
  const task = (name: string) => () => new Promise<void>((resolve) => (order.push(name), ends.push(resolve)));
  const running = [turns.run("stranger", task("a")), turns.run("stranger", task("b"))];
  const waiting = Array.from({ length: 20 }, (_each, place) => turns.run("stranger", task(`s${place}`)));
  await expect(turns.run("stranger", task("one too many"))).rejects.toMatchObject({ kind: "too-many", headers: { "Retry-After": "5" } });
  waiting.push(turns.run("known", task("known")));
  expect(order).toEqual(["a", "b"]);
  for (let done = 0; done < 22 + 1; done += 1) {
    await expect.poll(() => ends.length).toBeGreaterThan(done);
    expect(order.length - done).toBeLessThanOrEqual(2);
    ends[done]!();
    await Promise.resolve();
  }
  await Promise.all([...running, ...waiting]);
  expect(order.slice(0, 4)).toEqual(["a", "b", "known", "s0"]);
  // A task that fails passes its turn on.
  await expect(turns.run("known", () => Promise.reject(new ProblemError("gone", "x")))).rejects.toThrow("x");
  expect(await turns.run("stranger", async () => 1)).toBe(1);
});

test("[SGN8] three people may carry an email unproven with a password each, and no fourth", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const first = await owner(api);
  await Browser.ofOwnerWithPassword(api);
  const carrier = async (name: string, password: string) => {
    const member = await inviteMember(api, first, "editor", name);
    const link = (await api.call("POST", "sign-in-links", { user_id: member.userId })).body;
    const browser = await Browser.signIn(api, { method: "link", secret: link.secret });
    await browser.call("PATCH", "me", { email: "ada@example.com" });
    return { browser, set: await browser.call("PUT", "me/password", { password }), userId: member.userId };
  };
  const second = await carrier("second", "five brave badgers sing");
  const third = await carrier("third", "six slow snails climb");
  const fourth = await carrier("fourth", "nine new newts swim");
  expect([second, third, fourth].map(({ set }) => set.status)).toEqual([204, 204, 409]);
  const opened = async (password: string) =>
    (await Browser.signIn(api, { method: "password", email: "ada@example.com", password })).call("GET", "session");
  expect((await opened(goodPassword)).body.user.id).toBe(first.userId);
  expect((await opened("six slow snails climb")).body.user.id).toBe(third.userId);
  // With a password an email may not become one too many either.
  expect((await fourth.browser.call("PATCH", "me", { email: "fourth@example.com" })).status).toBe(200);
  expect((await fourth.browser.call("PUT", "me/password", { password: "nine new newts swim" })).status).toBe(204);
  expect((await fourth.browser.call("PATCH", "me", { email: "ada@example.com" })).status).toBe(409);
  expect((await third.browser.call("PATCH", "me", { email: "third@example.com" })).status).toBe(200);
  expect((await fourth.browser.call("PATCH", "me", { email: "ada@example.com" })).status).toBe(200);
});

test("[SGN9] a program with an access token neither sets a password nor proves one", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const person = await createTokenFor(api, await owner(api), ["tokens:write", "teams:write"]);
  await person.call("PATCH", "me", { email: "ada@example.com" });
  expect((await person.call("PUT", "me/password", { password: goodPassword })).status).toBe(403);
  expect((await person.call("POST", "session/proof", { password: goodPassword })).status).toBe(404);
  const { body } = await api.call(
    "POST",
    "/mcp?toolsets=all",
    { jsonrpc: "2.0", id: 1, method: "tools/list" },
    { accept: "application/json, text/event-stream" },
  );
  const names = String(body);
  expect(names).toContain("create_sign_in_link");
  for (const name of ["set_password", "prove_session", "create_session", "switch_team"]) expect(names).not.toContain(name);
});
