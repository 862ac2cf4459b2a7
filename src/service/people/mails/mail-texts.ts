// The texts of mails to people, as plain text and as simple HTML. Pure.
import { escapeHtml, type MailText } from "../../alerts/mail/mail-text.ts";
import { oneLine } from "../../alerts/mail/smtp.ts";
import { secretPlace } from "./mailed-secrets.ts";

// Names are anybody's: they must not be all that one sees of a mail.
const longestName = 60;

/** Invites a person to a team. @param base the address of the service */
export function invitationMail(
  { name, role, expires_at }: { name: string; role: string; expires_at: number },
  { team, inviter }: { team: string; inviter: string },
  base: string,
): MailText {
  const until = `${new Date(expires_at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return compose(`Invitation to the team ${quoted(team)}`, [
    `${quoted(inviter)} invites you, ${quoted(name)}, to the team ${quoted(team)} of the signage service at ${base}/ as ${role}.`,
    `This link works once, until ${until}: ${base}/sign-in#invitation=${secretPlace}`,
    "It is for you alone: whoever opens it joins with your address. If you do not expect it, ignore this mail.",
  ]);
}

/** A code that proves the email of the person who asked for it. @param base the address of the service */
export function codeMail(base: string): MailText {
  return compose("Your code for the signage service", [
    `Your code is ${secretPlace}`,
    `Enter it within an hour under “Your account” of the signage service at ${base}/, where you asked for it.`,
    "If you did not, somebody else says that your address is theirs: tell nobody the code, and ignore this mail.",
  ]);
}

function compose(subject: string, lines: readonly string[]): MailText {
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line).replace(/https?:\/\/\S+$/, (url) => `<a href="${url}">${url}</a>`)}</p>`);
  return {
    subject,
    text: [subject, ...lines].join("\n\n"),
    html: `<!doctype html><html><body><h3>${escapeHtml(subject)}</h3>${paragraphs.join("")}</body></html>`,
  };
}

function quoted(name: string): string {
  const line = oneLine(name);
  return `“${line.length > longestName ? `${line.slice(0, longestName)}…` : line}”`;
}
