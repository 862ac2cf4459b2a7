// Passkeys by HTTP, with a keeper in software that can also answer wrongly.
import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { passkeySiteAt } from "../../../../src/service/people/passkeys/site.ts";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { SoftwarePasskey, type Variant } from "../../../support/passkeys.ts";
import { TestService, type ApiResponse } from "../../harness.ts";
import { Browser, cheapPasswords, goodPassword } from "../browser.ts";
import { addPasskey, browserAtLocalhost, localhostOf, proveByPasskey, signInByPasskey } from "./passkey-browser.ts";
import { owner } from "../people.ts";

const minuteMs = 60_000;

const refusals: readonly [what: string, variant: Variant][] = [
  ["another website's page", { origin: "https://elsewhere.example" }],
  ["another port's page", { origin: "http://localhost:1" }],
  ["another host's passkey", { rpId: "elsewhere.example" }],
  ["a page inside of another website", { crossOrigin: true }],
  ["a person who was not verified", { isVerified: false }],
  ["an answer to another question", { type: "payment.get" }],
  ["a challenge that was made up", { challenge: Buffer.alloc(56, 7).toString("base64url") }],
  ["no challenge", { challenge: "" }],
];

async function actionsOf(api: TestService): Promise<string[]> {
  return (await api.call("GET", "audit?limit=100")).body.data.map(({ action }: { action: string }) => action);
}

/** A browser in which another member is signed in, who may create no link herself. */
async function evesBrowser(api: TestService): Promise<Browser> {
  const { body: invitation } = await api.call("POST", "invitations", { email: "eve@example.com", name: "Eve", role: "viewer" });
  const browser = new Browser(localhostOf(api));
  await browser.call("POST", "session", { method: "invitation", secret: invitation.secret, password: "five brave badgers sing" });
  return browser;
}

function reasonOf({ status, body }: ApiResponse): string {
  return `${status} ${body.detail}`;
}

test("[SGN28] a passkey signs its person in without an email or a password, and is a fresh proof", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { ...cheapPasswords, clock });
  const browser = await browserAtLocalhost(api);
  expect((await browser.call("GET", "sign-in")).body).toMatchObject({
    methods: ["password", "passkey"],
    passkey_host: "localhost",
    is_first_run: true,
  });
  expect((await browser.call("GET", "session")).body.has_passkey).toBe(false);
  const { key, passkey } = await addPasskey(browser);
  expect(passkey).toMatchObject({ name: "Passkey", host: "localhost", credential_id: key.id, is_synced: false, last_used_at: null });
  expect((await browser.call("GET", "sign-in")).body.is_first_run).toBe(false);

  const other = new Browser(localhostOf(api));
  const started = await signInByPasskey(other, key);
  expect([started.status, started.body]).toMatchObject([201, { method: "passkey", has_passkey: true, has_password: false }]);
  expect((await other.call("GET", "me")).body.user.id).toBe((await owner(api)).userId);
  expect(await actionsOf(api)).toEqual(expect.arrayContaining(["createPasskey", "usePasskey", "createSession"]));

  clock.advance(16 * minuteMs);
  const createToken = () => other.call("POST", "tokens", { name: "t", scopes: ["players:read"] });
  expect(await createToken()).toMatchObject({ status: 403, body: { type: "/problems/proof-required" } });
  expect((await proveByPasskey(other, key)).status).toBe(200);
  expect((await createToken()).status).toBe(201);

  const [first] = (await other.call("GET", "me/passkeys")).body.data;
  expect(Date.parse(first.last_used_at)).toBe(clock.now());
  expect((await other.call("PATCH", `me/passkeys/${passkey.id}`, { name: "Key on my desk" })).body.name).toBe("Key on my desk");
  const synced = await addPasskey(other, { synced: true, name: "Phone" });
  expect((await other.call("GET", "me/passkeys")).body.data).toMatchObject([
    { name: "Key on my desk", is_synced: false },
    { name: "Phone", is_synced: true },
  ]);
  // One that does not count its uses signs in again and again.
  for (let times = 0; times < 2; times += 1) expect((await signInByPasskey(new Browser(localhostOf(api)), synced.key)).status).toBe(201);
});

test("[SGN29] the answer of a passkey counts once, within five minutes, and for what it was asked for", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { ...cheapPasswords, clock });
  const browser = await browserAtLocalhost(api);
  const { key } = await addPasskey(browser, { synced: true });
  const stranger = new Browser(localhostOf(api));
  const ask = async (path: string, by = browser) => (await by.call("POST", path)).body;
  const signIn = (passkey: object) => stranger.call("POST", "session", { method: "passkey", passkey });
  const tooLate = expect.stringContaining("longer than five minutes, or was used already");

  const used = key.assert(await ask("session/passkey", stranger));
  expect((await signIn(used)).status).toBe(201);
  expect(await signIn(used)).toMatchObject({ status: 401, body: { detail: tooLate } });

  const [early, late] = [key.assert(await ask("session/passkey")), key.assert(await ask("session/passkey"))];
  clock.advance(5 * minuteMs - 1);
  expect((await signIn(early)).status).toBe(201);
  clock.advance(1);
  expect(await signIn(late)).toMatchObject({ status: 401, body: { detail: tooLate } });

  // Not for another purpose, another session, or a passkey that is being added.
  expect((await signIn(key.assert(await ask("session/proof/passkey")))).status).toBe(401);
  expect((await signIn(key.assert(await ask("me/passkeys/challenge")))).status).toBe(401);
  const prove = async (passkey: object) => (await browser.call("POST", "session/proof", { passkey })).status;
  expect(await prove(key.assert(await ask("session/passkey")))).toBe(422);
  expect(await prove(key.assert(await ask("session/proof/passkey", stranger)))).toBe(422);
  const proof = key.assert(await ask("session/proof/passkey"));
  expect(await prove(proof)).toBe(200);
  expect(await prove(proof)).toBe(422);

  const creation = await ask("me/passkeys/challenge");
  const add = async (credential: object, by = browser) => (await by.call("POST", "me/passkeys", { credential })).status;
  const fresh = () => new SoftwarePasskey(creation, browser.url);
  expect(await add(fresh().attest(creation), stranger)).toBe(422);
  expect(await add(fresh().attest(await ask("session/passkey")))).toBe(422);
  const attestation = fresh().attest(creation);
  expect(await add(attestation)).toBe(201);
  expect(await add(attestation)).toBe(422);
  expect(await add(fresh().attest(creation))).toBe(422);
  const expired = await ask("me/passkeys/challenge");
  clock.advance(5 * minuteMs);
  expect(await add(fresh().attest(expired))).toBe(422);
});

test("[SGN30] refused are answers from elsewhere, of unverified people, with a wrong signature, of another person's or a removed passkey, and of a copy", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const browser = await browserAtLocalhost(api);
  const { key, passkey } = await addPasskey(browser);
  const eve = await evesBrowser(api);
  const { key: eves } = await addPasskey(eve);
  const stranger = () => new Browser(localhostOf(api));
  const wrongKey: Variant = { key: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey };
  const foreign: readonly [string, Variant][] = [
    ["a wrong signature", wrongKey],
    ["another person's id", { id: eves.id }],
    ["another person's handle", { userHandle: eves.userHandle }],
    ["an unknown id", { id: "AAAAAAAAAAAAAAAAAAAAAA" }],
  ];
  for (const [what, variant] of [...refusals, ...foreign]) {
    expect([what, (await signInByPasskey(stranger(), key, variant)).status]).toEqual([what, 401]);
    expect([what, (await proveByPasskey(browser, key, variant)).status]).toEqual([what, 422]);
  }
  // Eve's own passkey proves nothing in the owner's session.
  expect(reasonOf(await proveByPasskey(browser, eves))).toMatch(/^422 .*not known here/);

  expect((await signInByPasskey(stranger(), key)).status).toBe(201);
  const { counter } = key;
  // A copy of the key that has been used less often.
  expect((await signInByPasskey(stranger(), key, { counter })).status).toBe(401);
  expect((await signInByPasskey(stranger(), key, { counter: counter - 1 })).status).toBe(401);
  expect((await signInByPasskey(stranger(), key, { counter: 0 })).status).toBe(401);
  expect((await signInByPasskey(stranger(), key)).status).toBe(201);

  expect((await addPasskey(browser)).passkey.name).toBe("Passkey 2");
  const question = (await stranger().call("POST", "session/passkey")).body;
  expect((await eve.call("DELETE", `me/passkeys/${passkey.id}`)).status).toBe(404);
  expect((await eve.call("PATCH", `me/passkeys/${passkey.id}`, { name: "mine" })).status).toBe(404);
  expect((await browser.call("DELETE", `me/passkeys/${passkey.id}`)).status).toBe(204);
  const late = await stranger().call("POST", "session", { method: "passkey", passkey: key.assert(question) });
  expect(reasonOf(late)).toMatch(/^401 .*may have been removed/);
});

test("[SGN31] a passkey is added only from the console's own page, by a verified person, once, and without a certificate", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const browser = await browserAtLocalhost(api);
  const add = async (variant: Variant) => {
    const options = (await browser.call("POST", "me/passkeys/challenge")).body;
    const key = new SoftwarePasskey(options, browser.url);
    return { key, answer: await browser.call("POST", "me/passkeys", { credential: key.attest(options, variant) }) };
  };
  const certificate = new Map<string, unknown>([
    ["alg", -7],
    ["sig", new Uint8Array(70)],
    ["x5c", [new Uint8Array(300)]],
  ]);
  const wrong: readonly [string, Variant][] = [
    ["a certificate", { format: "packed", statement: certificate }],
    ["another format", { format: "apple", statement: certificate }],
    ["another id than the one that is signed", { id: "AAAAAAAAAAAAAAAAAAAAAA" }],
  ];
  for (const [what, variant] of [...refusals, ...wrong]) expect([what, (await add(variant)).answer.status]).toEqual([what, 422]);
  expect((await browser.call("GET", "me/passkeys")).body.data).toEqual([]);

  const { key, answer } = await add({});
  expect(answer.status).toBe(201);
  const options = (await browser.call("POST", "me/passkeys/challenge")).body;
  expect(options.excludeCredentials).toEqual([{ id: key.id, type: "public-key", transports: ["internal"] }]);
  expect((await browser.call("POST", "me/passkeys", { credential: key.attest(options) })).status).toBe(409);
  // Nor does another person get it.
  const eve = await evesBrowser(api);
  const hers = (await eve.call("POST", "me/passkeys/challenge")).body;
  expect((await eve.call("POST", "me/passkeys", { credential: key.attest(hers) })).status).toBe(409);
});

test("[SGN32] adding and removing a passkey needs a fresh proof, no program does it, and the last way to sign in cannot be removed", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { ...cheapPasswords, clock });
  const browser = await browserAtLocalhost(api);
  const { key, passkey } = await addPasskey(browser);
  const remove = () => browser.call("DELETE", `me/passkeys/${passkey.id}`);
  expect(reasonOf(await remove())).toMatch(/^409 .*only way you can sign in/);
  expect((await browser.call("PATCH", "me", { email: "ada@example.com" })).status).toBe(200);
  expect((await browser.call("PUT", "me/password", { password: goodPassword })).status).toBe(204);
  clock.advance(14 * minuteMs);
  const creation = (await browser.call("POST", "me/passkeys/challenge")).body;
  clock.advance(minuteMs);
  const proofRequired = { status: 403, body: { type: "/problems/proof-required" } };
  expect(await remove()).toMatchObject(proofRequired);
  expect(await browser.call("POST", "me/passkeys/challenge")).toMatchObject(proofRequired);
  expect(
    await browser.call("POST", "me/passkeys", { credential: new SoftwarePasskey(creation, browser.url).attest(creation) }),
  ).toMatchObject(proofRequired);
  expect((await browser.call("GET", "me/passkeys")).body.data).toHaveLength(1);
  for (const [method, path, body] of [
    ["GET", "me/passkeys"],
    ["POST", "me/passkeys/challenge"],
    ["POST", "session/proof/passkey"],
    ["DELETE", `me/passkeys/${passkey.id}`],
    ["PATCH", `me/passkeys/${passkey.id}`, { name: "n" }],
  ] as const) {
    expect([path, reasonOf(await api.call(method, path, body))]).toEqual([path, expect.stringMatching(/^404 .*access token/)]);
  }
  expect((await proveByPasskey(browser, key)).status).toBe(200);
  expect((await remove()).status).toBe(204);
  // An owner's link still helps who has lost everything.
  const again = await browserAtLocalhost(api);
  expect((await again.call("GET", "session")).body).toMatchObject({ has_passkey: false, has_password: true });
});

test("[SGN33] passkeys are offered where browsers have them: with TLS or at localhost, at a host name, and each for its own host", async () => {
  for (const [url, host] of [
    ["https://signage.example/path", "signage.example"],
    ["https://signage.example:8443", "signage.example"],
    ["http://localhost:8080", "localhost"],
    ["http://screens.localhost", "screens.localhost"],
    ["http://signage.example", undefined],
    ["https://192.0.2.7", undefined],
    ["http://127.0.0.1:8080", undefined],
    ["http://[::1]:8080", undefined],
    ["https://[2001:db8::1]", undefined],
  ] as const) {
    expect([url, passkeySiteAt(url)?.host]).toEqual([url, host]);
  }
  await using folder = await temporaryFolder();
  {
    await using api = await TestService.start(folder.path, cheapPasswords);
    const there = await Browser.ofOwner(api);
    expect((await there.call("GET", "sign-in")).body).toMatchObject({ methods: ["password"], passkey_host: null });
    for (const path of ["session/passkey", "session/proof/passkey", "me/passkeys/challenge"]) {
      expect([path, reasonOf(await there.call("POST", path))]).toEqual([path, expect.stringMatching(/^403 .*https address/)]);
    }
    await addPasskey(await browserAtLocalhost(api));
  }
  await using api = await TestService.start(folder.path, { ...cheapPasswords, publicUrl: "https://signage.example/screens" });
  const browser = await Browser.ofOwner(api);
  expect((await browser.call("GET", "sign-in")).body.passkey_host).toBe("signage.example");
  const options = (await browser.call("POST", "me/passkeys/challenge")).body;
  // The passkey for the other address is not among those that this browser has already.
  expect([options.rp.id, options.excludeCredentials]).toEqual(["signage.example", []]);
  const key = new SoftwarePasskey(options, "https://signage.example");
  expect((await browser.call("POST", "me/passkeys", { credential: key.attest(options) })).status).toBe(201);
  const [local, own] = (await browser.call("GET", "me/passkeys")).body.data;
  expect([local.host, own.host]).toEqual(["localhost", "signage.example"]);
  expect((await signInByPasskey(browser, key)).status).toBe(201);
  // The passkey for the other address may go, the last one of use here may not.
  expect((await browser.call("DELETE", `me/passkeys/${own.id}`)).status).toBe(409);
  expect((await browser.call("DELETE", `me/passkeys/${local.id}`)).status).toBe(204);
});

test("[SGN34] refused passkeys are limited and in the audit log, without locking out whom they belong to", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { ...cheapPasswords, clock });
  const browser = await browserAtLocalhost(api);
  const { key } = await addPasskey(browser);
  const wrong: Variant = { isVerified: false };
  const answers = await Promise.all(Array.from({ length: 34 }, () => signInByPasskey(new Browser(localhostOf(api)), key, wrong)));
  expect([401, 429].map((status) => answers.filter((each) => each.status === status).length)).toEqual([30, 4]);
  expect(Number(answers.find(({ status }) => status === 429)!.headers.get("retry-after"))).toBe(15 * 60);
  expect((await signInByPasskey(new Browser(localhostOf(api)), key)).status).toBe(429);
  expect((await proveByPasskey(browser, key)).status).toBe(200);
  await browser.call("DELETE", "session");
  expect((await signInByPasskey(browser, key)).status).toBe(201);
  clock.advance(15 * minuteMs);
  expect((await signInByPasskey(new Browser(localhostOf(api)), key)).status).toBe(201);
  await expect.poll(async () => (await actionsOf(api)).filter((action) => action === "failSignIn").length).toBe(20);
});
