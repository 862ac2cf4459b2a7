// Mails about alerts, as a real SMTP server receives them: grouping, threads, reminders, hostile names.
import { expect, test } from "vitest";
import { openedMail, titleOf } from "../../../src/service/alerts/mail/mail-text.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { MailServer } from "../../support/network/mail-server.ts";
import { AlertFleet, minute, problem } from "./alert-fleet.ts";
import { received, recipients, smtpAt, startWithMail } from "./mail-fleet.ts";

test("[MAI2] a site whose screens are offline is one mail that lists them with what to do; alerts of the same minutes are one mail", async () => {
  await using folder = await temporaryFolder();
  await using server = await MailServer.start();
  await using fleet = await startWithMail(folder.path, server);
  await fleet.set(1, 1, { group_minutes: 10 });
  const berlin = await fleet.pair(
    Array.from({ length: 5 }, (_, index) => `Platform ${index + 1}`),
    ["site:Berlin Hbf"],
  );
  const [alone] = await fleet.pair(["Alone"], ["site:Ulm"]);
  const [hot] = await fleet.pair(["Hot"], ["site:Berlin Hbf"]);
  await fleet.pair(["Fine"]);
  for (const screen of [...berlin, alone!]) screen.isOn = false;
  hot!.health.temperature_c = 90;
  const [first, second] = (await received(fleet, server, 2)).toSorted((a, b) => b.subject.localeCompare(a.subject));
  expect([first!.subject, second!.subject]).toEqual(["5 screens at Berlin Hbf are offline", "2 screens need attention"]);
  for (const part of [first!.text, first!.html]) {
    for (let index = 1; index <= 5; index += 1) expect(part).toContain(`Platform ${index} (Berlin Hbf)`);
    expect(part).toContain("What to do: Check the device's power and network");
    expect(part).toContain("https://signs.example.com/");
  }
  expect(second!.text).toContain("Alone (Ulm)");
  expect(second!.text).toContain("The device is at 90 °C");
  expect(first!.headers).toContain("Auto-Submitted: auto-generated");
  await fleet.pass(11 * minute);
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
  await fleet.set(1, 1, { repeat_hours: 2 });
  const [known, unknown] = await fleet.pair(["Known", "Unknown"]);
  for (const screen of [known!, unknown!]) screen.health.temperature_c = 90;
  await received(fleet, server, 1);
  const { id } = await fleet.opened(known!, "hot");
  await fleet.api.call("POST", `alerts/${id}/acknowledge`);
  await fleet.skip(60 * minute);
  await fleet.pass(2 * minute);
  expect(server.mails.length).toBe(1);
  await fleet.skip(60 * minute);
  await received(fleet, server, 2);
  expect([server.mails[1]!.subject, server.mails[1]!.text.includes("Known (")]).toEqual(["Still: Unknown is too hot", false]);
  await fleet.api.call("POST", `alerts/${(await fleet.opened(unknown!, "hot")).id}/acknowledge`);
  for (let hour = 0; hour < 2; hour += 1) {
    await fleet.skip(120 * minute);
    await fleet.pass(2 * minute);
  }
  expect(server.mails.length).toBe(2);
});

test("[MAI7] a text with lines stays within its line of a mail, whatever a player or an older version has stored", () => {
  const hostile = "Lobby\r\nBcc: c@evil.example\u2028\n\n<script>";
  const when = { since: 0, opened_at: 0, closed_at: null, created_at: 0 };
  const acknowledged = { acknowledged_at: null, acknowledged_by: null, acknowledged_name: null };
  const about = {
    id: "alr_1",
    team_id: "team_1",
    player_id: "plr_1",
    kind: "hot",
    state: "open",
    address: null,
    mail_group: null,
  } as const;
  const texts = { player_name: hostile, site: hostile, detail: hostile, remedy: hostile };
  const alert = { ...about, ...when, ...acknowledged, ...texts, close_reason: null };
  const mail = openedMail([alert], titleOf([alert], `at ${hostile}`), null, false);
  expect([mail.subject, mail.text.split("\n").length]).toEqual([expect.not.stringMatching(/[\r\n\u2028]/), 6]);
  expect(mail.html).not.toMatch(/<script|\n/);
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
