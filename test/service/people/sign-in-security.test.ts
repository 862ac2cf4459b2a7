// Attacks on signing in: writes from other websites, planted cookies, stolen and leaked secrets.
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRead } from "../../../src/service/operations/operation.ts";
import { operations } from "../../../src/service/operations/operations.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { createLog } from "../../support/recording-log.ts";
import { TestService } from "../harness.ts";
import { Browser, cheapPasswords, goodPassword } from "./browser.ts";
import { openTables } from "../tables-of.ts";

const dayMs = 86_400_000;
const anId = "01jd3v8q6m9x2k4n7r5t1w0yzh";

test("[SGN21] every write of an operator with a session's cookie is refused if another website sent it, or if it does not say from where", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const browser = await Browser.ofOwner(api);
  const { host } = new URL(api.service.url);
  const { cookie } = browser.headers;
  const foreign = ["https://elsewhere.example", "null", `http://${host}.elsewhere.example`, "http://127.0.0.1:1", undefined];
  const writes = operations.filter((each) => each.caller === "operator" && !isRead(each));
  expect(writes.length).toBeGreaterThan(70);
  for (const { name, method, path, example, bytes, stream } of writes) {
    const url = `${api.service.url}/api/v1${path.replaceAll(/\{\w+\}/g, `plr_${anId}`)}`;
    const refused = foreign.map(async (origin) => {
      const headers = { cookie: cookie!, "content-type": "application/json", ...(origin === undefined ? {} : { origin }) };
      const body = bytes !== undefined || stream !== undefined ? "x" : JSON.stringify(example ?? {});
      const answer = await fetch(url, { method, headers, body });
      const problem = (await answer.json()) as { type: string; detail: string };
      expect([name, origin, answer.status, problem.type]).toEqual([name, origin, 403, "/problems/forbidden"]);
      expect(problem.detail).toContain("another website");
    });
    await Promise.all(refused);
  }
  expect((await browser.call("GET", "session")).status).toBe(200);
  // Nor does another website sign a person in as somebody else, or make them join a team.
  const { body: link } = await api.call("POST", "sign-in-links", {});
  const { body: invitation } = await api.call("POST", "invitations", { email: "a@example.com", name: "A", role: "viewer" });
  const evil = { origin: "https://elsewhere.example" };
  expect((await browser.call("POST", "session", { method: "link", secret: link.secret }, evil)).status).toBe(403);
  expect((await browser.call("POST", "invitations/accept", { secret: invitation.secret }, evil)).status).toBe(403);
});

test("[SGN22] a cookie that somebody planted in a browser is never adopted by signing in, and its session ends", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path, cheapPasswords);
  const own = await Browser.ofOwnerWithPassword(api);
  const [name, ownSecret] = own.cookie("session")!;
  const { body: invitation } = await api.call("POST", "invitations", { email: "mallory@example.com", name: "Mallory", role: "viewer" });
  const attacker = await Browser.signIn(api, { method: "invitation", secret: invitation.secret, password: "five brave badgers sing" });
  const victim = new Browser(api.service.url);
  for (const cookie of attacker.cookies) victim.cookies.set(...cookie);
  await victim.call("POST", "session", { method: "password", email: "ada@example.com", password: goodPassword });
  expect(victim.cookie("session")![1]).not.toBe(attacker.cookie("session")![1]);
  expect(victim.cookie("browser")![1]).not.toBe(attacker.cookie("browser")![1]);
  expect((await victim.call("GET", "session")).body.user.email).toBe("ada@example.com");
  expect((await attacker.call("GET", "session")).status).toBe(401);
  // A made-up value is not adopted either.
  const other = new Browser(api.service.url);
  other.cookies.set(
    name,
    ownSecret.replace(/.$/, (last) => (last === "a" ? "b" : "a")),
  );
  await other.call("POST", "session", { method: "password", email: "ada@example.com", password: goodPassword });
  expect((await other.call("GET", "session")).status).toBe(200);
  expect((await own.call("GET", "session")).status).toBe(200);
});

test("[SGN23] the cookies are hidden from scripts and other websites; with TLS no other host can set them; each service has names of its own", async () => {
  await using folder = await temporaryFolder();
  await using first = await TestService.start(join(folder.path, "first"));
  await using second = await TestService.start(join(folder.path, "second"));
  const signIn = async (api: TestService, headers = {}): Promise<string[]> => {
    const { body } = await api.call("POST", "sign-in-links", {});
    return (
      await new Browser(api.service.url).call("POST", "session", { method: "link", secret: body.secret }, headers)
    ).headers.getSetCookie();
  };
  const [session, browser] = await signIn(first);
  const random = "[0-9A-Za-z]+";
  expect(session).toMatch(
    new RegExp(`^signage_session_[0-9a-f]{10}=sgn_ses_${random}; Expires=[^;]+ GMT; Path=/; HttpOnly; SameSite=Strict$`),
  );
  expect(browser).toMatch(
    new RegExp(`^signage_browser_[0-9a-f]{10}=sgn_brw_${random}; Max-Age=34560000; Path=/; HttpOnly; SameSite=Strict$`),
  );
  const nameOf = (cookie: string | undefined) => cookie!.split("=")[0];
  const [elsewhere] = await signIn(second);
  expect(nameOf(session)).not.toBe(nameOf(elsewhere));
  // Cookies do not distinguish ports: a browser sends both to both.
  const both = new Browser(first.service.url);
  for (const cookie of [session!, elsewhere!]) both.cookies.set(...(cookie.split(";")[0]!.split("=") as [string, string]));
  expect((await both.call("GET", "session")).status).toBe(200);

  await using tls = await TestService.start(join(folder.path, "tls"), { publicUrl: "https://signage.example" });
  const { body: link } = await tls.call("POST", "sign-in-links", {});
  expect(link.url).toContain("https://signage.example/sign-in#link=");
  const secure = new Browser(tls.service.url);
  const origin = "https://signage.example";
  const answer = await secure.call("POST", "session", { method: "link", secret: link.secret }, { origin });
  for (const cookie of answer.headers.getSetCookie()) {
    expect(cookie).toMatch(/^__Host-signage_(session|browser)_[0-9a-f]{10}=.*; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
    expect(cookie).not.toContain("Domain");
  }
  expect((await secure.call("GET", "session")).status).toBe(200);
  // The same secret under a name without the prefix, which another host of the domain could set, does not count.
  const [name, secret] = secure.cookie("session")!;
  const tossed = new Browser(tls.service.url);
  tossed.cookies.set(name.replace("__Host-", ""), secret);
  expect((await tossed.call("GET", "session")).status).toBe(401);
});

test("[SGN24] no log, audit entry or stored row has a password or the secret of a session, link, browser or invitation", async () => {
  await using folder = await temporaryFolder();
  const { log, lines } = createLog();
  await using api = await TestService.start(folder.path, { ...cheapPasswords, clock: new FakeClock(), log });
  const browser = await Browser.ofOwnerWithPassword(api);
  const { body: link } = await api.call("POST", "sign-in-links", {}, { "idempotency-key": "link" });
  const { body: invitation } = await api.call(
    "POST",
    "invitations",
    { email: "eve@example.com", name: "Eve", role: "viewer" },
    { "idempotency-key": "invitation" },
  );
  const wrong = "the wrong pass phrase";
  await new Browser(api.service.url).call("POST", "session", { method: "password", email: "ada@example.com", password: wrong });
  await browser.call("POST", "session/proof", { password: goodPassword }, { "idempotency-key": "proof" });
  const { body: me } = await browser.call("GET", "session");
  await browser.call("POST", "session/team", { team_id: me.team.id }, { "idempotency-key": "team" });
  const other = await Browser.signIn(api, { method: "link", secret: link.secret });
  const secrets = [goodPassword, wrong, link.secret, invitation.secret, ...browser.cookies.values(), ...other.cookies.values()];
  using file = openTables(folder.path);
  const tables = file.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const stored = tables.map(({ name }) => JSON.stringify(file.prepare(`SELECT * FROM "${String(name)}"`).all())).join("\n");
  expect(stored).toContain("argon2id");
  const logged = JSON.stringify(lines);
  expect(logged).toContain("a wrong password was given");
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(12);
    expect([secret, stored.includes(secret), logged.includes(secret)]).toEqual([secret, false, false]);
  }
});

test("[SGN25] ended sessions and used links are deleted after 90 days, the marks of browsers that nobody uses after 400", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using api = await TestService.start(folder.path, { ...cheapPasswords, clock });
  await Browser.ofOwnerWithPassword(api);
  using file = openTables(folder.path);
  const count = (table: string) => Number(file.prepare(`SELECT count(*) AS n FROM ${table}`).get()!["n"]);
  const counts = () => ["sessions", "sign_in_links", "known_browsers", "passwords"].map((table) => count(table));
  expect(counts()).toEqual([1, 1, 1, 1]);
  clock.advance(90 * dayMs);
  await eventually(() => count("sign_in_links") === 1);
  clock.advance(2 * 3_600_000);
  await eventually(() => count("sign_in_links") === 0);
  expect(counts()).toEqual([1, 0, 1, 1]);
  clock.advance(30 * dayMs);
  await eventually(() => count("sessions") === 0);
  clock.advance(280 * dayMs);
  await eventually(() => count("known_browsers") === 0);
  expect(count("passwords")).toBe(1);
});
