// What people get by mail, and what it proves: invitations, and codes for their own email.
import { expect, test } from "vitest";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { MailServer } from "../../support/network/mail-server.ts";
import { eventually } from "../../support/polling.ts";
import { createLog } from "../../support/recording-log.ts";
import { smtpAt } from "../alerts/mail-fleet.ts";
import { call, TestService } from "../harness.ts";
import { openTables } from "../tables-of.ts";
import { Browser, goodPassword } from "./browser.ts";
import { accept, squat, squatterPassword } from "./emails.ts";

const ceo = "ceo@victim.example";
const publicUrl = "https://signs.example.com";
const newBrowser = (api: TestService) => new Browser(api.service.url, publicUrl);
const invitationOf = (email: string) => ({ email, name: "Real", role: "editor" });

function startWithMail(folder: string, server: MailServer, more: Parameters<typeof TestService.start>[1] = {}): Promise<TestService> {
  return TestService.start(folder, { smtp: smtpAt(server.port), publicUrl, ...more });
}

/** The secret of the newest mail, after `count` have arrived. */
async function secretIn(server: MailServer, count: number): Promise<string> {
  await eventually(() => server.mails.length === count);
  return /sgn_inv_\w{43}|[A-Z]{4}-[A-Z]{4}/.exec(server.mails.at(-1)!.text)![0];
}

test("[EML6] the link of a mailed invitation proves the email, the one that is shown does not; no stored row or log has the mailed one", async () => {
  await using folder = await temporaryFolder();
  await using server = await MailServer.start();
  const { log, lines } = createLog();
  await using api = await startWithMail(folder.path, server, { log });
  const squatter = await squat(api, ceo, squatterPassword, newBrowser(api));
  expect((await squatter.browser.call("GET", "session")).body.user.email_proven).toBe(false);
  // The squatter's own invitation was mailed too, and came to nothing.
  await secretIn(server, 1);
  // What a request says the service is called is no address for a mail.
  const { body: shown } = await api.call("POST", "invitations", { ...invitationOf(ceo), name: "<b>Real</b>" }, { host: "evil.example" });
  expect(shown.mailed).toBe(true);
  const mailed = await secretIn(server, 2);
  const mail = server.mails[1]!;
  expect([mail.to, mail.html.includes("<b>")]).toEqual([[ceo], false]);
  expect(mail.headers.find((line) => line.startsWith("From:"))).toBe("From: Signage <signage@example.com>");
  expect(mail.text).toContain(`${publicUrl}/sign-in#invitation=${mailed}`);
  expect(mail.html).toContain(`<a href="${publicUrl}/sign-in#invitation=${mailed}">`);
  expect([mailed === shown.secret, JSON.stringify(shown).includes(mailed)]).toEqual([false, false]);
  using file = openTables(folder.path);
  const tables = file.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const stored = tables.map(({ name }) => JSON.stringify(file.prepare(`SELECT * FROM "${String(name)}"`).all())).join("\n");
  expect(stored).toContain(`${publicUrl}/sign-in#invitation=`);
  expect([stored.includes(mailed), JSON.stringify(lines).includes(mailed)]).toEqual([false, false]);

  const real = newBrowser(api);
  const joined = await accept(api, mailed, goodPassword, real);
  expect([joined.status, joined.body.user.email_proven]).toEqual([201, true]);
  expect(joined.body.user.id).not.toBe(squatter.userId);
  // Both are the link of one invitation.
  expect((await accept(api, shown.secret, goodPassword, newBrowser(api))).status).toBe(404);
  const { body: log_ } = await api.call("GET", "audit?action=proveEmail");
  expect(log_.data).toMatchObject([{ user_id: joined.body.user.id, resource_id: joined.body.user.id }]);
});

test("[EML6] a mailed invitation proves the email to programs too, and one that was withdrawn before it was sent is not sent", async () => {
  await using folder = await temporaryFolder();
  await using server = await MailServer.start();
  const clock = new FakeClock(Date.now());
  await using api = await startWithMail(folder.path, server, { clock });
  server.replies.push({ code: 451, text: "Try again later" });
  const { body: withdrawn } = await api.call("POST", "invitations", invitationOf("other@victim.example"));
  await eventually(() => server.begun === 1);
  await api.call("DELETE", `invitations/${withdrawn.id}`);
  using file = openTables(folder.path);
  const waiting = () => Number(file.prepare("SELECT count(*) AS n FROM mails WHERE status = 'pending'").get()!["n"]);
  await eventually(() => file.prepare("SELECT attempts FROM mails").get()!["attempts"] === 1);
  clock.advance(60_000);
  await eventually(() => waiting() === 0);
  expect(server.begun).toBe(1);
  server.replies.push({ code: 451, text: "Try again later" });
  await api.call("POST", "invitations", invitationOf(ceo));
  await eventually(() => file.prepare("SELECT attempts FROM mails").get()?.["attempts"] === 1);
  clock.advance(60_000);
  const secret = await secretIn(server, 1);
  const accepted = await call(api.service.url, "POST", "invitations/accept", { secret });
  expect(accepted.body.user).toMatchObject({ email: ceo, email_proven: true });
});

test("[EML7] a mailed code proves the email in the session of the person who carries it, once and for an hour; it is one person's alone", async () => {
  await using folder = await temporaryFolder();
  await using server = await MailServer.start();
  const clock = new FakeClock(Date.now());
  await using api = await startWithMail(folder.path, server, { clock });
  const squatter = await squat(api, ceo, squatterPassword, newBrowser(api));
  const real = newBrowser(api);
  const { body: invitation } = await api.call("POST", "invitations", invitationOf(ceo));
  await accept(api, invitation.secret, goodPassword, real);
  await eventually(() => server.mails.length === 2);
  const ask = (browser: Browser) => browser.call("POST", "me/email/code");
  const prove = (browser: Browser, code: string) => browser.call("POST", "me/email/proof", { code });
  expect((await ask(real)).body).toEqual({ email: ceo });
  const first = await secretIn(server, 3);
  expect([server.mails[2]!.to, (await ask(real)).status]).toEqual([[ceo], 202]);
  const second = await secretIn(server, 4);
  // Whoever says that the address is theirs does not read its mails, and a code is of no use in another account.
  expect((await ask(squatter.browser)).status).toBe(202);
  const squatters = await secretIn(server, 5);
  for (const [browser, code] of [
    [squatter.browser, second],
    [real, squatters],
    [real, first],
    [real, "BBBB-BBBB"],
  ] as const) {
    expect((await prove(browser, code)).body.errors?.[0].pointer).toBe("/code");
  }
  const proven = await prove(real, ` ${second.toLowerCase().replace("-", "")} `);
  expect([proven.status, proven.body.email_proven]).toEqual([200, true]);
  expect([(await prove(real, second)).status, (await ask(real)).status]).toEqual([422, 409]);
  // Even who reads the mail later on does not take it over.
  expect((await prove(squatter.browser, squatters)).status).toBe(409);
  // Another email is unproven, and its code ends after an hour.
  await real.call("PATCH", "me", { email: "other@victim.example" });
  await ask(real);
  const late = await secretIn(server, 6);
  clock.advance(60 * 60_000);
  expect((await prove(real, late)).status).toBe(422);
  using file = openTables(folder.path);
  clock.advance(60 * 60_000);
  await eventually(() => file.prepare("SELECT count(*) AS n FROM email_proofs").get()!["n"] === 0);
  // Nobody has proven the first one any more.
  expect((await ask(squatter.browser)).status).toBe(202);
  expect((await prove(squatter.browser, await secretIn(server, 7))).status).toBe(200);
});

test("[EML8] mails to an address, of a team and of a person are limited, wrong codes too; without a mail server or --public-url there are none", async () => {
  await using folder = await temporaryFolder();
  await using server = await MailServer.start();
  await using api = await startWithMail(folder.path, server, { clock: new FakeClock(Date.now()) });
  const mailed: boolean[] = [];
  for (let count = 0; count < 12; count += 1) {
    const { body } = await api.call("POST", "invitations", invitationOf(ceo));
    mailed.push(body.mailed);
    await api.call("DELETE", `invitations/${body.id}`);
  }
  expect(mailed.filter(Boolean)).toHaveLength(10);
  expect(mailed.slice(10)).toEqual([false, false]);
  const { body: invitation } = await api.call("POST", "invitations", invitationOf(ceo));
  const person = newBrowser(api);
  await accept(api, invitation.secret, goodPassword, person);
  const codes = [];
  for (let count = 0; count < 6; count += 1) codes.push((await person.call("POST", "me/email/code")).status);
  expect(codes).toEqual([202, 202, 202, 202, 202, 429]);
  const proofs = [];
  for (let count = 0; count < 11; count += 1) proofs.push((await person.call("POST", "me/email/proof", { code: "BCDF-GHJK" })).status);
  expect(proofs).toEqual([...Array.from({ length: 10 }, () => 422), 429]);
  expect((await api.call("POST", "me/email/code")).status).toBe(403);

  for (const [name, without] of Object.entries({ smtp: { smtp: null }, address: { publicUrl: null } })) {
    await using other = await startWithMail(`${folder.path}/${name}`, server, without);
    expect((await other.call("GET", "sign-in")).body.can_mail).toBe(false);
    expect((await other.call("POST", "invitations", invitationOf(ceo))).body.mailed).toBe(false);
    const owner = new Browser(other.service.url, name === "address" ? other.service.url : publicUrl);
    const { body: link } = await other.call("POST", "sign-in-links", {});
    await owner.call("POST", "session", { method: "link", secret: link.secret });
    await owner.call("PATCH", "me", { email: ceo });
    expect((await owner.call("POST", "me/email/code")).body.type).toBe("/problems/wrong-status");
  }
});
