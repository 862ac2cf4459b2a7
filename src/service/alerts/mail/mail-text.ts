// The subject and the text of mails about alerts, as plain text and as simple HTML. Pure.
import type { AlertKind } from "../../../protocol/operator/alerts.ts";
import { publicBase } from "../../http/public-url.ts";
import type { AlertRow } from "../../store/tables/events.ts";
import { oneLine } from "./smtp.ts";

export interface MailText {
  subject: string;
  text: string;
  html: string;
}

const maxListed = 200;
const maxSubject = 150;

const phrases: Readonly<Record<AlertKind, readonly [one: string, many: string]>> = {
  dark: ["shows no picture", "show no picture"],
  wrong: ["shows the wrong content", "show the wrong content"],
  late: ["is late or offline", "are late or offline"],
  full: ["has a full disk", "have full disks"],
  hot: ["is too hot", "are too hot"],
  throttled: ["is slowed down", "are slowed down"],
};

/** The problem of these players, such as “12 screens at Berlin Hbf are offline”. @param place such as “at Berlin Hbf” */
export function titleOf(alerts: readonly AlertRow[], place: string | null): string {
  const [first] = alerts;
  if (first === undefined) return "No screens";
  const players = new Set(alerts.map(({ player_id }) => player_id)).size;
  const kinds = new Set(alerts.map(({ kind }) => kind));
  const where = place === null ? "" : ` ${place}`;
  const who = players === 1 ? `${oneLine(first.player_name)}${where}` : `${players} screens${where}`;
  const [one, many] = kinds.size === 1 ? phrasesOf(alerts, first.kind) : ["has several problems", "need attention"];
  return `${who} ${players === 1 ? one : many}`;
}

/** A player is late when it is offline, or when its content is. */
function phrasesOf(alerts: readonly AlertRow[], kind: AlertKind): readonly [string, string] {
  const isOffline = ({ detail }: AlertRow) => !detail.startsWith("The newest content");
  return kind === "late" && alerts.every(isOffline) ? ["is offline", "are offline"] : phrases[kind];
}

/** A mail about alerts that have opened, or that are still open. */
export function openedMail(alerts: readonly AlertRow[], title: string, publicUrl: string | null, isRepeat: boolean): MailText {
  const subject = isRepeat ? `Still: ${title}` : title;
  const end = isRepeat ? "Acknowledge the alerts to end these reminders." : "";
  const lines = ({ detail, remedy, since }: AlertRow) => [withTimes(detail), `Since ${utc(since)}`, `What to do: ${withTimes(remedy)}`];
  return compose(subject, alerts, lines, end, publicUrl);
}

/** A mail that all alerts of a group are over. */
export function recoveredMail(alerts: readonly AlertRow[], title: string, publicUrl: string | null): MailText {
  const line = ({ since, closed_at }: AlertRow) => [`Well again at ${utc(closed_at ?? since)}. It began at ${utc(since)}.`];
  return compose(`Resolved: ${title}`, alerts, line, "", publicUrl);
}

/** The mail by which an operator tries the settings. */
export function testMail(teamName: string, publicUrl: string | null): MailText {
  const end = `This is a test. Alerts of the team ${oneLine(teamName)} are sent to this address.`;
  return compose("Test of the signage alerts", [], () => [], end, publicUrl);
}

function compose(
  subject: string,
  alerts: readonly AlertRow[],
  linesOf: (alert: AlertRow) => readonly string[],
  end: string,
  publicUrl: string | null,
): MailText {
  const entries = alerts.slice(0, maxListed).map((alert) => ({ name: nameOf(alert), lines: linesOf(alert).map(oneLine) }));
  const closing = [
    alerts.length > maxListed ? `… and ${alerts.length - maxListed} more.` : "",
    end,
    // A public URL is an address that browsers and mail programs follow.
    publicUrl === null ? "" : `All screens that are wrong now: ${publicBase(publicUrl)}/`,
  ].filter((line) => line !== "");
  const title = oneLine(subject).slice(0, maxSubject);
  const list = entries.map(({ name, lines }) => [name, ...lines.map((line) => `  ${line}`)].join("\n"));
  const items = entries.map(({ name, lines }) => `<li><strong>${escapeHtml(name)}</strong><br>${lines.map(escapeHtml).join("<br>")}</li>`);
  const paragraphs = closing.map((line) => `<p>${linked(line)}</p>`).join("");
  return {
    subject: title,
    text: [title, ...list, ...closing].join("\n\n"),
    html: `<!doctype html><html><body><h3>${escapeHtml(title)}</h3><ul>${items.join("")}</ul>${paragraphs}</body></html>`,
  };
}

function nameOf({ player_name, site }: AlertRow): string {
  return oneLine(site === null ? player_name : `${player_name} (${site})`);
}

function linked(line: string): string {
  return escapeHtml(line).replace(/https?:\/\/\S+$/, (url) => `<a href="${url}">${url}</a>`);
}

/** Text as the content of an HTML element or attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function utc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** A text of a device with its instants as people write them. */
function withTimes(text: string): string {
  return text.replaceAll(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/g, (instant) => {
    const ms = Date.parse(instant);
    return Number.isNaN(ms) ? instant : utc(ms);
  });
}
