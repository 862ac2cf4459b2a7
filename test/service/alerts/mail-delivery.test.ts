// How mails about alerts reach a real SMTP server: encryption, retries, failures, restarts, flags.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readServiceConfig, usage } from "../../../src/main/service.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { createSelfSignedCertificate } from "../../support/network/certificate.ts";
import { MailServer } from "../../support/network/mail-server.ts";
import { createOtherTeam } from "../people/people.ts";
import { AlertFleet, minute } from "./alert-fleet.ts";
import { mailState, received, recipients, smtpAt, startWithMail } from "./mail-fleet.ts";

// No test listens on it: the tests' servers ask for port 0, and the system then chooses a higher one.
const closedPort = 9;

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

test("[MAI6] a mail is given up after a day of attempts", async () => {
  await using folder = await temporaryFolder();
  await using fleet = await AlertFleet.start(folder.path, { smtp: smtpAt(closedPort) });
  await fleet.set(1, 1, { recipients });
  await fleet.api.call("POST", "alert-settings/test-mail");
  const from = fleet.clock.now();
  await fleet.until(async () => {
    fleet.clock.advance(20 * minute);
    return (await mailState(fleet)).is === "failed";
  });
  expect(await mailState(fleet)).toMatchObject({ waiting: 0, detail: expect.stringContaining("ECONNREFUSED") });
  expect(fleet.clock.now() - from).toBeGreaterThan(20 * 60 * minute);
});

test("[MAI6] no more than a hundred mails of a team wait: the oldest are given up", async () => {
  await using folder = await temporaryFolder();
  await using fleet = await AlertFleet.start(folder.path, { smtp: smtpAt(closedPort) });
  await fleet.set(1, 1, { recipients });
  for (let index = 0; index < 103; index += 1) await fleet.api.call("POST", "alert-settings/test-mail");
  expect(await mailState(fleet)).toMatchObject({ waiting: 100 });
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

test("[MAI9] the password is in no response and is read for each mail", async () => {
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
