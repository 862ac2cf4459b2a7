// Attacks on single sign-on: mixed-up providers, planted and repeated answers, lies in tokens, stolen codes.
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSystemClock } from "../../../../src/base/clock.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { HostileProvider } from "../../../support/network/hostile-provider.ts";
import { clientSecret, LoginProvider, ProviderBrowser } from "../../../support/network/login-provider.ts";
import { createLog } from "../../../support/recording-log.ts";
import { type ApiResponse } from "../../harness.ts";
import { Browser, goodPassword } from "../browser.ts";
import { begin, callbackOf, finish, inviteLasting, signInAs, startWithSso } from "./sso.ts";
import { openTables } from "../../tables-of.ts";

const minute = 60_000;
const notBegun = expect.stringContaining("not begun in this browser");
const signedIn = (browser: Browser): boolean => browser.cookie("session") !== undefined;
const refusal = ({ status, body }: ApiResponse): [number, string] => [status, body.detail];

test("[SGN47] the answer of another provider is refused before its code is redeemed anywhere, and so is one that does not say whose it is", async () => {
  await using folder = await temporaryFolder();
  await using honest = await LoginProvider.listen();
  await using hostile = await HostileProvider.listen();
  await using api = await startWithSso(folder.path, honest.issuer);
  honest.serve(callbackOf(api));
  await Browser.ofOwnerWithPassword(api);
  honest.accounts.set("ada", { email: "ada@example.com", email_verified: true });
  const answers: ((right: URLSearchParams, start: string) => string)[] = [
    // The attacker's own answer, the right one in the attacker's name, without a name, and with both names.
    (_right, start) => hostile.answer(start),
    (right) => new URLSearchParams({ ...Object.fromEntries(right), iss: hostile.issuer }).toString(),
    (right) => new URLSearchParams({ code: right.get("code")!, state: right.get("state")! }).toString(),
    (right) => `${right.toString()}&iss=${encodeURIComponent(hostile.issuer)}`,
  ];
  for (const answerWith of answers) {
    const browser = new Browser(api.service.url);
    const start = await begin(browser);
    const right = new URLSearchParams(await new ProviderBrowser().signIn(start, "ada"));
    const before = honest.requests.filter((path) => path === "/token").length;
    const answer = await finish(browser, answerWith(right, start));
    expect([answer.status, signedIn(browser)]).toEqual([401, false]);
    expect(honest.requests.filter((path) => path === "/token")).toHaveLength(before);
  }
  expect(hostile.redeemed).toEqual([]);
});

test("[SGN47] a provider that names itself as another one is not used", async () => {
  await using folder = await temporaryFolder();
  await using hostile = await HostileProvider.listen();
  hostile.lies = { metadata: { issuer: "https://login.example.com" } };
  await using api = await startWithSso(folder.path, hostile.issuer);
  expect((await new Browser(api.service.url).call("POST", "sign-in/sso", {})).status).toBe(503);
  await using other = await HostileProvider.listen();
  // Nor one that leads people to something that is no website, or away from TLS.
  other.lies = { metadata: { authorization_endpoint: "javascript:alert(1)" } };
  await using second = await startWithSso(join(folder.path, "second"), other.issuer);
  expect((await new Browser(second.service.url).call("POST", "sign-in/sso", {})).status).toBe(503);
});

test("[SGN48] an answer counts only in the browser that began the sign-in: others cannot sign a person in as themselves, or use a stolen code", async () => {
  await using folder = await temporaryFolder();
  await using hostile = await HostileProvider.listen();
  await using api = await startWithSso(folder.path, hostile.issuer);
  await inviteLasting(api, await Browser.ofOwnerWithPassword(api), "ada@example.com");
  const attacker = new Browser(api.service.url);
  const attackersAnswer = hostile.answer(await begin(attacker));
  const victim = new Browser(api.service.url);
  // Without a sign-in that waits, and during one of their own.
  expect(refusal(await finish(victim, attackersAnswer))).toEqual([401, notBegun]);
  const own = hostile.answer(await begin(victim));
  expect(refusal(await finish(victim, attackersAnswer))).toEqual([401, notBegun]);
  const code = new URLSearchParams(own).get("code")!;
  for (const forged of [`code=${code}`, `code=${code}&state=`, `${own}&state=x`, new URLSearchParams({ code, state: "x" }).toString()]) {
    expect(refusal(await finish(victim, forged))).toEqual([401, notBegun]);
  }
  // The victim's answer is of no use to the attacker, even with a cookie that was changed.
  expect(refusal(await finish(attacker, own))).toEqual([401, notBegun]);
  const [name, sealed] = attacker.cookie("sso")!;
  const changedAt = (index: number) => {
    const bytes = Buffer.from(sealed, "base64url");
    bytes[index]! ^= 1;
    return bytes.toString("base64url");
  };
  const last = Buffer.byteLength(sealed, "base64url") - 1;
  for (const planted of ["", "x", sealed.slice(0, 20), changedAt(0), changedAt(last)]) {
    const other = new Browser(api.service.url);
    other.cookies.set(name, planted);
    expect(refusal(await finish(other, attackersAnswer))).toEqual([401, notBegun]);
  }
  expect(hostile.redeemed).toEqual([]);
  // Another website cannot begin a sign-in, or end one.
  const evil = { origin: "https://elsewhere.example" };
  expect((await victim.call("POST", "sign-in/sso", {}, evil)).status).toBe(403);
  expect((await victim.call("POST", "session", { method: "sso", response: own }, evil)).status).toBe(403);
  expect((await finish(victim, own)).status).toBe(201);
  // The code was redeemed with the verifier of its browser (PKCE).
  expect(hostile.redeemed).toEqual([{ code, verifier: expect.stringMatching(/^[\w-]{43,}$/) }]);
});

test("[SGN49] an answer of the provider works once, for 10 minutes, and only for what it was asked for", async () => {
  await using folder = await temporaryFolder();
  await using hostile = await HostileProvider.listen();
  const clock = new FakeClock(Date.now());
  await using api = await startWithSso(folder.path, hostile.issuer, { clock });
  await inviteLasting(api, await Browser.ofOwnerWithPassword(api), "ada@example.com");
  const browser = new Browser(api.service.url);
  const response = hostile.answer(await begin(browser));
  const kept = browser.cookie("sso")!;
  const both = await Promise.all([finish(browser, response), finish(browser, response)]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 401]);
  browser.cookies.set(...kept);
  expect(refusal(await finish(browser, response))).toEqual([401, notBegun]);
  expect(hostile.redeemed).toHaveLength(1);
  const late = hostile.answer(await begin(browser));
  clock.advance(10 * minute);
  expect(refusal(await finish(browser, late))).toEqual([401, notBegun]);
  const proof = hostile.answer(await begin(browser, { purpose: "proof" }));
  expect(refusal(await finish(browser, proof))).toEqual([401, notBegun]);
});

test("[SGN50] tokens with a wrong nonce, audience, issuer, signature, person or time sign nobody in", async () => {
  await using folder = await temporaryFolder();
  await using hostile = await HostileProvider.listen();
  await using api = await startWithSso(folder.path, hostile.issuer);
  await inviteLasting(api, await Browser.ofOwnerWithPassword(api), "ada@example.com");
  const now = Math.trunc(Date.now() / 1_000);
  const attempt = async (lies: HostileProvider["lies"]) => {
    hostile.lies = lies;
    const browser = new Browser(api.service.url);
    const { status } = await finish(browser, hostile.answer(await begin(browser)));
    return [status, signedIn(browser)];
  };
  const wrong: HostileProvider["lies"][] = [
    ...[{ nonce: "other" }, { nonce: undefined }, { aud: "another-client" }, { aud: ["signage", "other"], azp: "other" }].map((claims) => ({
      claims,
    })),
    ...[{ iss: "https://login.example.com" }, { exp: now - 60 }, { exp: undefined }, { nbf: now + 300 }, { iat: undefined }].map(
      (claims) => ({ claims }),
    ),
    ...[{ sub: undefined }, { sub: "" }, { sub: "1".repeat(256) }].map((claims) => ({ claims })),
    { hasWrongSignature: true },
    // The person's details are those of another person.
    { claims: { email: undefined }, userInfo: { sub: "2", email: "ada@example.com", email_verified: true } },
  ];
  for (const lies of wrong) expect([lies, ...(await attempt(lies))]).toEqual([lies, 401, false]);
  for (const claims of [
    { email_verified: false },
    { email_verified: "true" },
    { email_verified: undefined },
    { email: "Ada <ada@example.com>" },
  ]) {
    expect([claims, ...(await attempt({ claims }))]).toEqual([claims, 403, false]);
  }
  expect(await attempt({})).toEqual([201, true]);
});

test("[SGN51] a proof by single sign-on counts only if the provider says that the person has just signed in there", async () => {
  await using folder = await temporaryFolder();
  await using hostile = await HostileProvider.listen();
  // Its time may be a millisecond ahead of Date.now().
  const clock = createSystemClock();
  await using api = await startWithSso(folder.path, hostile.issuer, { clock });
  await inviteLasting(api, await Browser.ofOwnerWithPassword(api), "ada@example.com");
  const browser = new Browser(api.service.url);
  await finish(browser, hostile.answer(await begin(browser)));
  const now = Math.trunc(Date.now() / 1_000);
  const prove = async (auth_time: unknown) => {
    hostile.lies = { claims: { auth_time } };
    const sso_response = hostile.answer(await begin(browser, { purpose: "proof" }));
    return (await browser.call("POST", "session/proof", { sso_response })).status;
  };
  expect([await prove(undefined), await prove(now - 120), await prove("now"), await prove(now)]).toEqual([422, 422, 422, 200]);
  // A time that is yet to come proves nothing for longer.
  hostile.lies = { claims: { auth_time: now + 86_400 } };
  const other = new Browser(api.service.url);
  const { body } = await finish(other, hostile.answer(await begin(other)));
  expect(Date.parse(body.proved_at)).toBeLessThanOrEqual(clock.now());
});

test("[SGN52] a single sign-on begins a new session and ends the one that the browser had, whoever planted it", async () => {
  await using folder = await temporaryFolder();
  await using provider = await LoginProvider.listen();
  await using api = await startWithSso(folder.path, provider.issuer, { join: { domains: ["acme.example"], teamId: null, role: "viewer" } });
  provider.serve(callbackOf(api));
  await inviteLasting(api, await Browser.ofOwnerWithPassword(api), "ada@example.com");
  provider.accounts
    .set("ada", { email: "ada@example.com", email_verified: true })
    .set("mallory", { email: "m@acme.example", email_verified: true });
  const { browser: attacker } = await signInAs(api, "mallory");
  const victim = new Browser(api.service.url);
  for (const cookie of attacker.cookies) victim.cookies.set(...cookie);
  const response = await new ProviderBrowser().signIn(await begin(victim), "ada");
  expect((await finish(victim, response)).body.user.email).toBe("ada@example.com");
  expect(victim.cookie("session")![1]).not.toBe(attacker.cookie("session")![1]);
  expect((await attacker.call("GET", "session")).status).toBe(401);
});

test("[SGN53] the cookie of a waiting sign-in is hidden from scripts and other websites; no secret, code or token is in a log or a row", async () => {
  await using folder = await temporaryFolder();
  await using provider = await LoginProvider.listen();
  const { log, lines } = createLog();
  await using api = await startWithSso(folder.path, provider.issuer, { log });
  provider.serve(callbackOf(api));
  await inviteLasting(api, await Browser.ofOwnerWithPassword(api), "ada@example.com");
  provider.accounts.set("ada", { email: "ada@example.com", email_verified: true });
  const browser = new Browser(api.service.url);
  const started = await browser.call("POST", "sign-in/sso", {});
  expect(started.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^signage_sso_[0-9a-f]{10}=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict$/),
  ]);
  const sealed = browser.cookie("sso")![1];
  const asked = new URL(started.body.url).searchParams;
  expect(asked.get("redirect_uri")).toBe(callbackOf(api));
  expect([asked.get("code_challenge_method"), asked.get("response_type")]).toEqual(["S256", "code"]);
  const response = await new ProviderBrowser().signIn(started.body.url, "ada");
  const code = new URLSearchParams(response).get("code")!;
  const denied = new Browser(api.service.url);
  const cancelled = await finish(denied, await new ProviderBrowser().signIn(await begin(denied), null));
  expect(refusal(cancelled)).toEqual([401, expect.stringContaining("did not let you in, or you cancelled")]);
  // The provider's own text is shown to nobody.
  expect(JSON.stringify(cancelled.body)).not.toContain("Call +1");
  await finish(browser, response);
  browser.cookies.set(browser.cookie("session")![0].replace("session", "sso"), sealed);
  await finish(browser, response);
  expect((await browser.call("POST", "session", { method: "password", email: "ada@example.com", password: goodPassword })).status).toBe(
    201,
  );
  using file = openTables(folder.path);
  const tables = file.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const stored = tables.map(({ name }) => JSON.stringify(file.prepare(`SELECT * FROM "${String(name)}"`).all())).join("\n");
  const logged = JSON.stringify(lines);
  expect(logged).toContain("single sign-on failed");
  for (const secret of [sealed, code, clientSecret, asked.get("state")!, asked.get("nonce")!, asked.get("code_challenge")!]) {
    expect([secret, stored.includes(secret), logged.includes(secret)]).toEqual([secret, false, false]);
  }
});
