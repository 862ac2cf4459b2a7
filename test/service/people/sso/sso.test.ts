// Single sign-on with a real provider: who is let in, how accounts are linked, proofs, and the options of the service.
import { join } from "node:path";
import { expect, test } from "vitest";
import { FakeClock } from "../../../support/clock.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { LoginProvider, ProviderBrowser } from "../../../support/network/login-provider.ts";
import { TestService } from "../../harness.ts";
import { Browser, goodPassword } from "../browser.ts";
import { addPasskey, browserAtLocalhost } from "../passkeys/passkey-browser.ts";
import { inviteMember, owner as ownerOf } from "../people.ts";
import { begin, callbackOf, finish, inviteLasting, linkAs, signInAs, startWithSso } from "./sso.ts";

const minute = 60_000;

test("[SGN38] single sign-on lets in members and invited people by the email that the provider has verified, and nobody else", async () => {
  await using folder = await temporaryFolder();
  await using provider = await LoginProvider.listen();
  await using api = await startWithSso(folder.path, provider.issuer);
  provider.serve(callbackOf(api));
  expect((await api.call("GET", "sign-in")).body).toMatchObject({
    methods: ["password", "sso"],
    sso_name: "Acme Login",
    is_first_run: true,
  });
  const owner = await Browser.ofOwnerWithPassword(api);
  provider.accounts
    .set("ada", { email: "Ada@Example.com", email_verified: true, name: "Ada from Acme" })
    .set("grace", { email: "grace@example.com", email_verified: true, name: "Grace Hopper" })
    .set("eve", { email: "ada@example.com", email_verified: false, name: "Eve" })
    .set("stranger", { email: "stranger@example.com", email_verified: true })
    .set("nameless", {});
  // She proves her email; afterwards it decides.
  const { body: linked } = await linkAs(owner, "ada");
  expect((await owner.call("DELETE", `me/identities/${linked.id}`)).status).toBe(204);

  const ada = await signInAs(api, "ada");
  expect([ada.answer.status, ada.answer.body]).toMatchObject([
    201,
    { method: "sso", role: "owner", has_password: true, user: { email: "ada@example.com" } },
  ]);
  expect(ada.browser.cookie("sso")).toBeUndefined();
  expect((await ada.browser.call("GET", "session")).status).toBe(200);

  for (const [account, said] of [
    ["eve", "not say that your email is verified"],
    ["nameless", "not say that your email is verified"],
    ["stranger", "Nobody has invited stranger@example.com"],
  ] as const) {
    const { answer, browser } = await signInAs(api, account);
    expect([account, answer.status, answer.body.detail]).toEqual([account, 403, expect.stringContaining(said)]);
    expect(browser.cookie("session")).toBeUndefined();
  }

  await inviteLasting(api, owner, "grace@example.com");
  const grace = await signInAs(api, "grace");
  expect(grace.answer.body).toMatchObject({
    role: "editor",
    has_password: false,
    user: { name: "Grace Hopper", email: "grace@example.com" },
  });
  const { body: invitations } = await owner.call("GET", "invitations");
  expect(invitations.data[0].status).toBe("accepted");
  expect((await grace.browser.call("GET", "sessions")).body.data[0]).toMatchObject({ method: "sso", is_current: true });
  const actions = (await owner.call("GET", "audit?limit=5")).body.data.map(({ action }: { action: string }) => action);
  expect(actions.slice(0, 3)).toEqual(["createSession", "acceptInvitation", "linkIdentity"]);
});

test("[SGN39] once linked, the account at the provider decides, not its email; the email of a linked account links no second one", async () => {
  await using folder = await temporaryFolder();
  await using provider = await LoginProvider.listen();
  await using api = await startWithSso(folder.path, provider.issuer);
  provider.serve(callbackOf(api));
  const owner = await Browser.ofOwnerWithPassword(api);
  const { body: me } = await owner.call("GET", "session");
  provider.accounts.set("ada", { email: "ada@example.com", email_verified: true, name: "Ada" });
  await linkAs(owner, "ada");
  // Her email at the provider changes, and a colleague gets the old one.
  provider.accounts.set("ada", { email: "ada.king@example.com", email_verified: false, name: "Ada" });
  provider.accounts.set("newcomer", { email: "ada@example.com", email_verified: true, name: "Ada the Second" });
  expect((await signInAs(api, "ada")).answer.body.user.id).toBe(me.user.id);
  const second = await signInAs(api, "newcomer");
  expect([second.answer.status, second.answer.body.detail]).toEqual([409, expect.stringContaining("Another account of Acme Login")]);
});

test("[SGN39] an email that several members carry links to the one who has proven it, and to none before", async () => {
  await using folder = await temporaryFolder();
  await using provider = await LoginProvider.listen();
  await using api = await startWithSso(folder.path, provider.issuer);
  provider.serve(callbackOf(api));
  const owner = await Browser.ofOwnerWithPassword(api);
  const { body: me } = await owner.call("GET", "session");
  const mallory = await inviteMember(api, await ownerOf(api), "editor");
  expect((await mallory.call("PATCH", "me", { email: "ada@example.com" })).status).toBe(200);
  provider.accounts.set("ada", { email: "ada@example.com", email_verified: true });
  expect((await signInAs(api, "ada")).answer.status).toBe(403);
  const { body: linked } = await linkAs(owner, "ada");
  await owner.call("DELETE", `me/identities/${linked.id}`);
  const { answer } = await signInAs(api, "ada");
  expect([answer.status, answer.body.user.id]).toEqual([201, me.user.id]);
});

test("[SGN40] with --sso-join-domains people with emails of these domains join a team with a role, but not again after they were removed", async () => {
  await using folder = await temporaryFolder();
  await using provider = await LoginProvider.listen();
  const options = { join: { domains: ["acme.example"], teamId: null, role: "viewer" } } as const;
  await using api = await startWithSso(folder.path, provider.issuer, options);
  provider.serve(callbackOf(api));
  const owner = await Browser.ofOwnerWithPassword(api);
  provider.accounts
    .set("new", { email: "new@acme.example", email_verified: true, name: "New" })
    .set("sub", { email: "new@sub.acme.example", email_verified: true })
    .set("tail", { email: "new@notacme.example", email_verified: true })
    .set("unverified", { email: "other@acme.example" });
  for (const account of ["sub", "tail", "unverified"])
    expect([account, (await signInAs(api, account)).answer.status]).toEqual([account, 403]);
  const { answer } = await signInAs(api, "new");
  expect(answer.body).toMatchObject({ role: "viewer", user: { name: "New", email: "new@acme.example" } });
  const { team, user } = answer.body;
  expect((await owner.call("GET", "audit?action=joinByEmailDomain")).body.data).toHaveLength(1);
  await owner.call("DELETE", `teams/${team.id}/members/${user.id}`);
  const again = await signInAs(api, "new");
  expect([again.answer.status, again.answer.body.detail]).toEqual([403, expect.stringContaining("in no team any more")]);
  // An invitation lets the same person in again.
  await inviteLasting(api, owner, "new@acme.example");
  expect((await signInAs(api, "new")).answer.body).toMatchObject({ role: "editor", user: { id: user.id } });
});

test("[SGN41] an invitation's link is accepted by single sign-on with the invitation's email only; nobody who is in a team joins another unasked", async () => {
  await using folder = await temporaryFolder();
  await using provider = await LoginProvider.listen();
  await using api = await startWithSso(folder.path, provider.issuer);
  provider.serve(callbackOf(api));
  const owner = await Browser.ofOwnerWithPassword(api);
  provider.accounts
    .set("grace", { email: "grace@example.com", email_verified: true })
    .set("eve", { email: "eve@example.com", email_verified: true });
  const { secret } = await inviteLasting(api, owner, "grace@example.com");
  const eve = await signInAs(api, "eve", { invitation: secret });
  expect([eve.answer.status, eve.answer.body.detail]).toEqual([403, expect.stringContaining("another email")]);
  const first = await signInAs(api, "grace", { invitation: secret });
  expect(first.answer.body).toMatchObject({ role: "editor", user: { name: "Invited" } });
  const team = (await owner.call("POST", "teams", { name: "Second" })).body;
  await owner.call("POST", "session/team", { team_id: team.id });
  const next = await inviteLasting(api, owner, "grace@example.com", "viewer");
  // Who is in a team is not drawn into another one unasked.
  expect((await signInAs(api, "grace")).answer.body.teams).toHaveLength(1);
  const joined = await signInAs(api, "grace", { invitation: next.secret });
  expect(joined.answer.body).toMatchObject({ role: "viewer", team: { id: team.id }, user: { id: first.answer.body.user.id } });
});

test("[SGN42] a fresh proof by single sign-on needs a new sign-in of the same person at the provider; a silent one proves nothing", async () => {
  await using folder = await temporaryFolder();
  await using provider = await LoginProvider.listen();
  const clock = new FakeClock(Date.now());
  await using api = await startWithSso(folder.path, provider.issuer, { clock });
  provider.serve(callbackOf(api));
  const owner = await Browser.ofOwnerWithPassword(api);
  provider.accounts
    .set("grace", { email: "grace@example.com", email_verified: true })
    .set("ada", { email: "ada@example.com", email_verified: true });
  await inviteLasting(api, owner, "grace@example.com", "owner");
  const browser = new Browser(api.service.url);
  const atProvider = new ProviderBrowser();
  await finish(browser, await atProvider.signIn(await begin(browser), "grace"));
  const act = () => browser.call("POST", "sign-in-links", {});
  expect((await act()).status).toBe(201);
  clock.advance(16 * minute);
  expect((await act()).body.type).toContain("proof-required");

  // A silent sign-in, in which the provider asks nothing, proves nothing new.
  const silent = await finish(browser, await atProvider.signIn(await begin(browser), "must not be asked"));
  expect(silent.status).toBe(201);
  expect((await act()).body.type).toContain("proof-required");
  const prove = async (sso_response: string) => browser.call("POST", "session/proof", { sso_response });
  const unproved = await atProvider.signIn(await begin(browser), "must not be asked");
  expect((await prove(unproved)).status).toBe(422);

  const start = await begin(browser, { purpose: "proof" });
  expect([...new URL(start).searchParams]).toEqual(
    expect.arrayContaining([
      ["prompt", "login"],
      ["max_age", "0"],
    ]),
  );
  const other = await prove(await new ProviderBrowser().signIn(start, "ada"));
  expect([other.status, other.body.detail]).toEqual([422, expect.stringContaining("somebody else")]);
  const response = await atProvider.signIn(await begin(browser, { purpose: "proof" }), "grace");
  // The answer to a proof begins no session.
  expect((await finish(browser, response)).status).toBe(401);
  expect((await prove(await atProvider.signIn(await begin(browser, { purpose: "proof" }), "grace"))).status).toBe(200);
  expect((await act()).status).toBe(201);
});

test("[SGN43] people see which account signs them in, and unlink it unless it is their only way to sign in", async () => {
  await using folder = await temporaryFolder();
  await using provider = await LoginProvider.listen();
  await using api = await startWithSso(folder.path, provider.issuer);
  provider.serve(callbackOf(api));
  const owner = await Browser.ofOwnerWithPassword(api);
  provider.accounts.set("grace", { email: "grace@example.com", email_verified: true });
  await inviteLasting(api, owner, "grace@example.com");
  const { browser } = await signInAs(api, "grace");
  const list = async (by: Browser) => (await by.call("GET", "me/identities")).body.data;
  const [identity] = await list(browser);
  expect(identity).toMatchObject({ issuer: provider.issuer, email: "grace@example.com" });
  const unlink = (by: Browser) => by.call("DELETE", `me/identities/${identity.id}`);
  expect([(await unlink(browser)).body.type, (await unlink(owner)).status]).toEqual(["/problems/in-use", 404]);
  expect((await browser.call("PUT", "me/password", { password: goodPassword })).status).toBe(204);
  expect((await unlink(browser)).status).toBe(204);
  expect([await list(browser), (await browser.call("GET", "session")).status]).toEqual([[], 200]);
});

test("[SGN54] a passkey may go while a linked account of single sign-on is left, and the account while a passkey is, but never both", async () => {
  await using folder = await temporaryFolder();
  await using provider = await LoginProvider.listen();
  await using api = await startWithSso(folder.path, provider.issuer);
  provider.serve(callbackOf(api));
  const owner = await Browser.ofOwnerWithPassword(api);
  provider.accounts.set("grace", { email: "grace@example.com", email_verified: true });
  await inviteLasting(api, owner, "grace@example.com");
  const { browser: atProvider } = await signInAs(api, "grace");
  const userId = (await atProvider.call("GET", "session")).body.user.id;
  const browser = await browserAtLocalhost(api, { userId });
  const [first, second] = [await addPasskey(browser), await addPasskey(browser)];
  const [identity] = (await browser.call("GET", "me/identities")).body.data;
  const remove = async (path: string) => (await browser.call("DELETE", `me/${path}`)).status;
  expect(await remove(`passkeys/${first.passkey.id}`)).toBe(204);
  expect(await remove(`identities/${identity.id}`)).toBe(204);
  expect(await remove(`passkeys/${second.passkey.id}`)).toBe(409);
  // The account is linked again by its email; the passkey may go then.
  expect((await signInAs(api, "grace")).answer.status).toBe(201);
  expect(await remove(`passkeys/${second.passkey.id}`)).toBe(204);
  const [again] = (await browser.call("GET", "me/identities")).body.data;
  expect(await remove(`identities/${again.id}`)).toBe(409);
});

test("[SGN44] the service starts and lets people in otherwise while the provider cannot be reached, says so, and tries again", async () => {
  await using folder = await temporaryFolder();
  await using provider = await LoginProvider.listen();
  const clock = new FakeClock(Date.now());
  await using api = await startWithSso(folder.path, provider.issuer, { clock });
  await inviteLasting(api, await Browser.ofOwnerWithPassword(api), "ada@example.com");
  expect(provider.requests).toEqual([]);
  provider.accounts.set("ada", { email: "ada@example.com", email_verified: true });
  const browser = new Browser(api.service.url);
  const start = () => browser.call("POST", "sign-in/sso", {});
  const refused = await start();
  expect([refused.status, refused.body.type, refused.body.detail]).toEqual([
    503,
    "/problems/sso-unreachable",
    expect.stringContaining("Acme Login cannot be reached"),
  ]);
  // Strangers do not make the service ask as often as they like.
  await start();
  expect(provider.requests).toHaveLength(1);
  expect((await browser.call("POST", "session", { method: "password", email: "ada@example.com", password: goodPassword })).status).toBe(
    201,
  );
  provider.serve(callbackOf(api));
  clock.advance(6_000);
  expect((await signInAs(api, "ada")).answer.status).toBe(201);
  expect(provider.requests.filter((path) => path.includes("well-known"))).toHaveLength(2);
  await provider.close();
  expect((await start()).status).toBe(201);
  await using other = await TestService.start(join(folder.path, "other"));
  expect((await other.call("POST", "sign-in/sso", {})).status).toBe(404);
});
