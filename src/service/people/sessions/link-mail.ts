// Tells a person by mail that a link has signed somebody in as them.
import { escapeHtml, type MailText } from "../../alerts/mail/mail-text.ts";
import { queueMail } from "../../alerts/mail/mail-queue.ts";
import { oneLine, type SmtpConfig } from "../../alerts/mail/smtp.ts";
import type { Clock } from "../../../base/clock.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db } from "../../store/store.ts";
import { browserOf } from "./browser-name.ts";
import type { UsedSignInLink } from "./sign-in-links.ts";
import { readTeam } from "../store/teams.ts";
import { readUser } from "../store/users.ts";

interface Dependencies {
  clock: Clock;
  makeId: MakeId;
  /** Null: no mails are sent. The person sees used links in the console. */
  mailServer: SmtpConfig | null;
}

/** Queues the mail, in the transaction of the sign-in. Nothing, if no mails are sent or the person has no email. */
export async function mailUsedLink(
  { clock, makeId, mailServer }: Dependencies,
  db: Db,
  { userId, teamId, confinedBy, issuer }: UsedSignInLink,
  from: { address: string; userAgent: string },
): Promise<void> {
  const { email } = await readUser(db, userId);
  if (mailServer === null || email === null) return;
  const team = await readTeam(db, teamId);
  const reach = confinedBy === null ? "all your teams" : `the team ${oneLine(team.name)} only`;
  const now = Math.trunc(clock.now());
  const lines = [
    `A sign-in link has signed somebody in as you, for ${reach}.`,
    `Made by: ${oneLine(issuer)}`,
    `Used: ${new Date(now).toISOString()}, from ${from.address}${browserIn(from.userAgent)}`,
    "If it was not you, end the session under “Your account”, and ask an owner of the team about it.",
  ];
  await queueMail(db, { teamId, recipients: [email], thread: null }, composed("A sign-in link was used as you", lines), { makeId, now });
}

function browserIn(userAgent: string): string {
  const browser = browserOf(userAgent);
  return browser === "" ? "" : ` with ${browser}`;
}

function composed(subject: string, lines: readonly string[]): MailText {
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join("");
  return { subject, text: lines.join("\n\n"), html: `<!doctype html><html><body>${paragraphs}</body></html>` };
}
