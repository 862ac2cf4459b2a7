// Mails about alerts, sent to a real SMTP server on loopback: encryption, grouping, retries, failures, restarts.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readServiceConfig, usage } from "../../../src/main/service.ts";
import type { SmtpConfig } from "../../../src/service/alerts/mail/smtp.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { createSelfSignedCertificate } from "../../support/network/certificate.ts";
import { MailServer } from "../../support/network/mail-server.ts";
import { createOtherTeam } from "../people/people.ts";
import { AlertFleet, minute, problem } from "./alert-fleet.ts";

const recipients = ["screens@example.com"];

function smtpAt(port: number, more: Partial<SmtpConfig> = {}): SmtpConfig {
  const none = { user: null, passwordFile: null, caFile: null };
  return { host: "127.0.0.1", port, security: "none", from: "signage@example.com", ...none, ...more };
}

async function startWithMail(folder: string, server: MailServer, more: Partial<SmtpConfig> = {}): Promise<AlertFleet> {
  const fleet = await AlertFleet.start(folder, { smtp: smtpAt(server.port, more), publicUrl: "https://signs.example.com" });
  await fleet.set(1, 1, { recipients });
  return fleet;
}

/** Lets time pass until the server has received so many mails. */
async function received(fleet: AlertFleet, server: MailServer, count: number) {
  await fleet.until(async () => server.mails.length >= count);
  return server.mails;
}

async function mailState(fleet: AlertFleet) {
  return (await fleet.api.call("GET", "alert-settings")).body.mail;
}

test("[MAI1] mails are encrypted and sent with user and password; a server whose certificate is not trusted gets nothing", async (context) => {
  await using folder = await temporaryFolder();
  const certificate = await createSelfSignedCertificate(folder.path);
  if (certificate === null) return context.skip();
  const passwordFile = join(folder.path, "password");
  const login = { user: "signage", password: "a s3cret" };
  await writeFile(passwordFile, `${login.password}\n`);
  const trusted = { host: "localhost", user: login.user, passwordFile, caFile: certificate.cert };
  for (const security of ["starttls", "tls"] as const) {
    await using server = await MailServer.start({ tls: certificate, isImplicit: security === "tls", login });
    await using fleet = await startWithMail(join(folder.path, security), server, { ...trusted, security });
    expect((await fleet.api.call("POST", "alert-settings/test-mail")).status).toBe(202);
    const [mail] = await received(fleet, server, 1);
    expect(mail).toMatchObject({ to: recipients, isEncrypted: true, user: "signage", subject: "Test of the signage alerts" });
    await fleet.until(async () => (await mailState(fleet)).is === "ok");
  }
  await using server = await MailServer.start({ tls: certificate, login });
  const untrusted = { ...trusted, security: "starttls", caFile: null } as const;
  await using fleet = await startWithMail(join(folder.path, "untrusted"), server, untrusted);
  await fleet.api.call("POST", "alert-settings/test-mail");
  const state = await fleet.until(async () => mailState(fleet).then((mail) => mail.is === "retrying" && mail));
  expect([state.detail, server.mails]).toEqual([expect.stringMatching(/self[- ]signed/), []]);
});

test("[MAI1] a server without encryption gets nothing if encryption is demanded", async () => {
  await using folder = await temporaryFolder();
  await using server = await MailServer.start();
  await using fleet = await startWithMail(folder.path, server, { security: "starttls" });
  await fleet.api.call("POST", "alert-settings/test-mail");
  expect((await fleet.until(async () => mailState(fleet).then((mail) => mail.is === "retrying" && mail))).detail).toMatch(/STARTTLS/);
  expect(server.mails).toEqual([]);
});

test("[MAI2] a site whose screens are offline is one mail that lists them with what to do; alerts of the same minutes are one mail", async () => {
  await using folder = await temporaryFolder();
  await using server = await MailServer.start();
  await using fleet = await startWithMail(folder.path, server);
  const berlin = await fleet.pair(
    Array.from({ length: 12 }, (_, index) => `Platform ${index + 1}`),
    ["site:Berlin Hbf"],
  );
  const [alone] = await fleet.pair(["Alone"], ["site:Ulm"]);
  const [hot] = await fleet.pair(["Hot"], ["site:Berlin Hbf"]);
  await fleet.pair(["Fine"]);
  for (const screen of [...berlin, alone!]) screen.isOn = false;
  hot!.health.temperature_c = 90;
  const [first, second] = (await received(fleet, server, 2)).toSorted((a, b) => a.subject.localeCompare(b.subject));
  expect([first!.subject, second!.subject]).toEqual(["12 screens at Berlin Hbf are offline", "2 screens need attention"]);
  for (const part of [first!.text, first!.html]) {
    for (let index = 1; index <= 12; index += 1) expect(part).toContain(`Platform ${index} (Berlin Hbf)`);
    expect(part).toContain("What to do: Check the device's power and network");
    expect(part).toContain("https://signs.example.com/");
  }
  expect(second!.text).toContain("Alone (Ulm)");
  expect(second!.text).toContain("The device is at 90 °C");
  expect(first!.headers).toContain("Auto-Submitted: auto-generated");
  await fleet.pass(5 * minute);
  expect(server.mails.length).toBe(2);
});

test("[MAI2] screens without a site that share a public address are one mail when they go offline", async () => {
  await using folder = await temporaryFolder();
  await using server = await MailServer.start();
  const config = { smtp: smtpAt(server.port), trustedProxies: ["127.0.0.1"] };
  await using fleet = await AlertFleet.start(folder.path, config);
  await fleet.set(1, 1, { recipients });
  const screens = await fleet.pair(["One", "Two", "Three", "Local", "Near", "Four", "Five"]);
  const lines = ["1.1.1.1", "::ffff:1.1.1.1", "9.9.9.9", "10.0.0.1", "10.0.0.1", "2620:fe::1", "2620:fe::9"];
  for (const [index, address] of lines.entries()) {
    screens[index]!.headers = { "x-forwarded-for": address };
  }
  await fleet.pass(minute);
  for (const screen of screens) screen.isOn = false;
  const mails = await received(fleet, server, 3);
  expect(mails.map(({ subject }) => subject).toSorted()).toEqual([
    "2 screens behind 1.1.1.1 are offline",
    "2 screens behind 2620:fe::/64 are offline",
    "3 screens are offline",
  ]);
});

test("[MAI2] if many sites are offline at once, one mail has them all", async () => {
  await using folder = await temporaryFolder();
  await using server = await MailServer.start();
  await using fleet = await startWithMail(folder.path, server);
  for (let site = 0; site < 6; site += 1) {
    for (const screen of await fleet.pair(["Left", "Right"], [`site:Shop ${site}`])) screen.isOn = false;
  }
  const [mail] = await received(fleet, server, 1);
  expect([mail!.subject, mail!.text.match(/Shop/g)!.length]).toEqual(["12 screens are offline", 12]);
});

test("[MAI2] what is over before its mail is sent is not mailed, nor are kinds without mails", async () => {
  await using folder = await temporaryFolder();
  await using server = await MailServer.start();
  await using fleet = await startWithMail(folder.path, server);
  await fleet.set(1, 0, {
    group_minutes: 10,
    kinds: { full: { mail: false, open_minutes: 1 }, hot: { open_minutes: 1, close_minutes: 0 } },
  });
  const [brief, full, lasting] = await fleet.pair(["Brief", "Full", "Lasting"]);
  brief!.health.temperature_c = 90;
  full!.health.problems = [problem("disk-low")];
  await fleet.opened(brief!, "hot");
  await fleet.opened(full!, "full");
  brief!.health.temperature_c = 20;
  lasting!.health.temperature_c = 90;
  const mails = await received(fleet, server, 1);
  await fleet.pass(12 * minute);
  expect(mails.map(({ subject }) => subject)).toEqual(["Lasting is too hot"]);
});

test("[MAI3] when all alerts of a mail are over, one mail in the same thread says so", async () => {
  await using folder = await temporaryFolder();
  await using server = await MailServer.start();
  await using fleet = await startWithMail(folder.path, server);
  const screens = await fleet.pair(["One", "Two"], ["site:Ulm"]);
  for (const screen of screens) screen.isOn = false;
  await received(fleet, server, 1);
  screens[0]!.isOn = true;
  await fleet.pass(5 * minute);
  expect(server.mails.length).toBe(1);
  screens[1]!.isOn = true;
  const [opened, resolved] = await received(fleet, server, 2);
  expect(resolved!.subject).toBe("Resolved: 2 screens at Ulm are offline");
  expect(resolved!.text).toMatch(/One \(Ulm\)\s+Well again at 2026-11-21 \d\d:\d\d UTC/);
  const idOf = (headers: string[]) => headers.find((line) => line.startsWith("Message-ID: "))!.slice("Message-ID: ".length);
  expect(resolved!.headers).toContain(`In-Reply-To: ${idOf(opened!.headers)}`);
});

test("[MAI4] a mail is repeated after the team's hours until somebody acknowledges the alerts", async () => {
  await using folder = await temporaryFolder();
  await using server = await MailServer.start();
  await using fleet = await startWithMail(folder.path, server);
  await fleet.set(1, 1, { repeat_hours: 1 });
  const [known, unknown] = await fleet.pair(["Known", "Unknown"]);
  for (const screen of [known!, unknown!]) screen.health.temperature_c = 90;
  await received(fleet, server, 1);
  const { id } = await fleet.opened(known!, "hot");
  await fleet.api.call("POST", `alerts/${id}/acknowledge`);
  const from = fleet.clock.now();
  await received(fleet, server, 2);
  expect(fleet.clock.now() - from).toBeGreaterThan(50 * minute);
  expect([server.mails[1]!.subject, server.mails[1]!.text.includes("Known (")]).toEqual(["Still: Unknown is too hot", false]);
  await fleet.api.call("POST", `alerts/${(await fleet.opened(unknown!, "hot")).id}/acknowledge`);
  await fleet.pass(130 * minute);
  expect(server.mails.length).toBe(2);
});

test("[MAI5] a mail that the server postpones, or does not take because it is down or dies, arrives later and once", async () => {
  await using folder = await temporaryFolder();
  const first = await MailServer.start();
  const { port } = first;
  await using fleet = await startWithMail(folder.path, first);
  first.replies.push({ code: 451, text: "Try again later" });
  first.breaks = 1;
  await fleet.api.call("POST", "alert-settings/test-mail");
  const states = new Set<string>();
  await fleet.until(async () => {
    states.add((await mailState(fleet)).is);
    return first.mails.length > 0;
  });
  expect([first.begun, states.has("retrying")]).toEqual([3, true]);
  await first[Symbol.asyncDispose]();
  await fleet.api.call("POST", "alert-settings/test-mail");
  const down = await fleet.until(async () => mailState(fleet).then((mail) => mail.is === "retrying" && mail));
  expect(down).toMatchObject({ waiting: 1, detail: expect.stringContaining("ECONNREFUSED") });
  // The mail waits for the next attempt also over a restart of the service.
  await fleet.stop();
  await fleet.startAgain();
  await using second = await MailServer.start({ port });
  await received(fleet, second, 1);
  await fleet.until(async () => (await mailState(fleet)).is === "ok");
  expect([await mailState(fleet), second.mails.length]).toEqual([
    { is: "ok", detail: null, waiting: 0, last_sent_at: expect.any(String) },
    1,
  ]);
});

test("[MAI6] a mail that the server refuses for good is given up, and the settings say so; recipients are judged one by one", async () => {
  await using folder = await temporaryFolder();
  await using server = await MailServer.start();
  await using fleet = await startWithMail(folder.path, server);
  server.replies.push({ code: 554, text: "Looks like spam" });
  await fleet.api.call("POST", "alert-settings/test-mail");
  const failed = await fleet.until(async () => mailState(fleet).then((mail) => mail.is === "failed" && mail));
  expect(failed).toMatchObject({ waiting: 0, detail: expect.stringContaining("Looks like spam") });
  const everybody = ["good@example.com", "gone@example.com", "slow@example.com"];
  await fleet.set(1, 1, { recipients: everybody });
  server.refusals.set("gone@example.com", { code: 550, text: "No such user" });
  server.refusals.set("slow@example.com", { code: 450, text: "Greylisted" });
  await fleet.api.call("POST", "alert-settings/test-mail");
  await received(fleet, server, 1);
  server.refusals.delete("slow@example.com");
  await received(fleet, server, 2);
  expect(server.mails.map(({ to }) => to)).toEqual([["good@example.com"], ["slow@example.com"]]);
  await fleet.until(async () => (await mailState(fleet)).is === "ok");
});

test("[MAI6] a mail is given up after a day of attempts, and no more than a hundred wait", async () => {
  await using folder = await temporaryFolder();
  const server = await MailServer.start();
  const { port } = server;
  await server[Symbol.asyncDispose]();
  await using fleet = await AlertFleet.start(folder.path, { smtp: smtpAt(port) });
  await fleet.set(1, 1, { recipients });
  for (let index = 0; index < 120; index += 1) await fleet.api.call("POST", "alert-settings/test-mail");
  expect(await mailState(fleet)).toMatchObject({ waiting: 100 });
  let hours = 0;
  await fleet.until(async () => {
    fleet.clock.advance(10 * minute);
    hours += 1 / 6;
    return (await mailState(fleet)).is === "failed";
  });
  expect(await mailState(fleet)).toMatchObject({ waiting: 0, detail: expect.stringContaining("ECONNREFUSED") });
  expect(hours).toBeGreaterThan(20);
});

test("[MAI7] names add no header, recipient or markup to a mail", async () => {
  await using folder = await temporaryFolder();
  await using server = await MailServer.start();
  await using fleet = await startWithMail(folder.path, server);
  const [screen] = await fleet.pair(['<img src="//evil.example/x"> a@evil.example, b'], ["site:Ulm <b>"]);
  // A player's text may have lines; deviceText allows them.
  screen!.health.problems = [{ ...problem("disk-low"), detail: "full\r\nBcc: c@evil.example\r\n\r\n<script>" }];
  const [mail] = await received(fleet, server, 1);
  expect(mail!.to).toEqual(recipients);
  expect(mail!.headers.filter((line) => /^(?:to|cc|bcc)\b/i.test(line))).toEqual([`To: ${recipients[0]}`]);
  expect(mail!.html).not.toMatch(/<img|<script|<b>/);
  expect(mail!.html).toContain("&lt;img");
  expect(mail!.text).not.toMatch(/^Bcc/m);
});

test("[MAI8] a test mail needs a mail server and recipients; each team has its own mails", async () => {
  await using folder = await temporaryFolder();
  {
    await using fleet = await AlertFleet.start(join(folder.path, "off"));
    const refused = await fleet.api.call("POST", "alert-settings/test-mail");
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining("--smtp-host")]);
  }
  await using server = await MailServer.start();
  await using fleet = await AlertFleet.start(join(folder.path, "on"), { smtp: smtpAt(server.port) });
  expect((await mailState(fleet)).is).toBe("ready");
  expect((await fleet.api.call("POST", "alert-settings/test-mail")).status).toBe(409);
  const other = await createOtherTeam(fleet.api);
  await other.call("PATCH", "alert-settings", { recipients: ["other@example.com"] });
  expect((await other.call("POST", "alert-settings/test-mail")).body).toEqual({ recipients: ["other@example.com"] });
  const [mail] = await received(fleet, server, 1);
  expect(mail).toMatchObject({ to: ["other@example.com"], text: expect.stringContaining("the team Other") });
  expect(await mailState(fleet)).toMatchObject({ is: "ready", last_sent_at: null });
});

test("[MAI9] the password is in no response, even if the mail server repeats it", async () => {
  await using folder = await temporaryFolder();
  const certificate = await createSelfSignedCertificate(folder.path);
  if (certificate === null) return;
  await using server = await MailServer.start({ tls: certificate, login: { user: "signage", password: "right" } });
  const passwordFile = join(folder.path, "password");
  await writeFile(passwordFile, "wrong-s3cret\n");
  const smtp = { host: "localhost", security: "starttls", user: "signage", passwordFile, caFile: certificate.cert } as const;
  await using fleet = await startWithMail(join(folder.path, "data"), server, smtp);
  await fleet.api.call("POST", "alert-settings/test-mail");
  const state = await fleet.until(async () => mailState(fleet).then((mail) => mail.is === "retrying" && mail));
  expect(state.detail).toContain("Invalid login");
  expect(JSON.stringify(state)).not.toContain("s3cret");
  // A corrected password needs no restart.
  await writeFile(passwordFile, "right\n");
  await received(fleet, server, 1);
});

test("[MAI10] the service's flags name the mail server; incomplete and unsafe ones are rejected together", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "password");
  await writeFile(file, "x");
  expect(readServiceConfig([]).smtp).toBeNull();
  const base = ["--smtp-host", "mail.example.com", "--smtp-from", "signage@example.com"];
  expect(readServiceConfig(base).smtp).toEqual({
    host: "mail.example.com",
    port: 587,
    security: "starttls",
    user: null,
    passwordFile: null,
    from: "signage@example.com",
    caFile: null,
  });
  const login = ["--smtp-user", "signage", "--smtp-password-file", file];
  expect(readServiceConfig([...base, ...login, "--smtp-security", "tls"]).smtp).toMatchObject({ port: 465, user: "signage" });
  expect(() => readServiceConfig(["--smtp-host", "mail.example.com", "--smtp-user", "x"])).toThrow(/--smtp-from.*--smtp-user/);
  expect(() => readServiceConfig([...base, ...login, "--smtp-security", "none"])).toThrow(/unencrypted/);
  expect(() => readServiceConfig(["--smtp-from", "signage@example.com"])).toThrow(/goes with --smtp-host/);
  expect(Object.keys(usage.flags)).toContain("smtp-host");
});
