// The events of a screen in the words of people.
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import type { MessageKey } from "../../../i18n/catalogue.ts";
import { texts } from "../../../i18n/texts.ts";
import { commandName } from "../commands/command-names.ts";

const text = texts("screenLog");
const commandText = texts("screenCommands");

export type LoggedEvent = Schemas["EventPage"]["data"][number];
export type LogKind = "problems" | "commands" | "changes";

const words: Readonly<Record<string, MessageKey<"screenLog">>> = {
  "player.paired": "paired",
  "player.updated": "updated",
  "player.removed": "removed",
  "player.restored": "restored",
  "player.replaced": "replaced",
  "player.online": "online",
  "player.offline": "offline",
  "player.error": "error",
  "screenshot.ready": "pictureReady",
  "layout.assigned": "layoutAssigned",
  "alert.opened": "alertOpened",
  "alert.acknowledged": "alertAcknowledged",
  "alert.closed": "alertClosed",
};
const changes: Readonly<Record<string, MessageKey<"screenLog", { name: string }>>> = {
  layout: "layoutChanged",
  playlist: "playlistChanged",
  asset: "assetChanged",
  schedule: "scheduleChanged",
  calendar: "calendarChanged",
};
const problemNouns = new Set(["problem", "alert"]);
const badTypes = new Set(["player.offline", "player.error", "problem.opened", "alert.opened", "command.failed", "command.rejected"]);
const goodTypes = new Set(["player.online", "problem.closed", "alert.closed", "command.succeeded"]);

const nounOf = (type: string): string => type.slice(0, type.indexOf("."));

/** True if an event says something of its own. `player.problems` repeats the problems' own events. */
export function isVisible({ type }: LoggedEvent): boolean {
  return type !== "player.problems" && (type in words || nounOf(type) in changes || ["problem", "command"].includes(nounOf(type)));
}

/** Of the events of one command only the newest: its status now. @param events newest first */
export function withoutPastSteps(events: readonly LoggedEvent[]): LoggedEvent[] {
  const commandIds = new Set<unknown>();
  return events.filter(({ type, data }) => {
    if (!type.startsWith("command.")) return true;
    const isFirst = !commandIds.has(data["id"]);
    commandIds.add(data["id"]);
    return isFirst;
  });
}

/** The text of an event. */
export function wordsOf({ type, data }: LoggedEvent): string {
  const message = words[type];
  if (message !== undefined) return text(message);
  const string = (key: string): string => (typeof data[key] === "string" ? data[key] : "");
  const noun = nounOf(type);
  if (noun === "problem") return text(type === "problem.opened" ? "opened" : "closed", { detail: string("detail") || string("code") });
  if (noun === "command") {
    const status = type.slice(noun.length + 1);
    return text("command", { name: commandName(string("type")), status: commandText.has(status) ? commandText(status) : status });
  }
  const change = changes[noun];
  return change === undefined ? text("other", { type }) : text(change, { name: string("name") });
}

export function kindOf({ type }: LoggedEvent): LogKind {
  const noun = nounOf(type);
  if (noun === "command" || noun === "screenshot") return "commands";
  return problemNouns.has(noun) || type === "player.offline" || type === "player.online" || type === "player.error"
    ? "problems"
    : "changes";
}

/** The colour of an event's mark. */
export function markOf({ type }: LoggedEvent): "good" | "bad" | "off" {
  if (badTypes.has(type)) return "bad";
  return goodTypes.has(type) ? "good" : "off";
}
