// The permissions of tokens, grouped as people think of them, and suggestions.
import { scopes, type Scope } from "../../../../../src/protocol/operator/people.ts";
import { texts } from "../../../i18n/texts.ts";

const text = texts("tokens");

/** The resources that can be read, and mostly changed. */
const resources = [
  "players",
  "commands",
  "screenshots",
  "assets",
  "playlists",
  "layouts",
  "schedules",
  "drafts",
  "versions",
  "play_events",
  "report_links",
  "events",
  "webhooks",
  "teams",
  "tokens",
  "audit",
] as const;

interface ScopeGroup {
  name: string;
  read: Scope | null;
  write: Scope | null;
}

/** The scopes as rows of a table. */
export const scopeGroups: readonly ScopeGroup[] = resources.map((resource) => ({
  name: text(resource),
  read: scopeOf(`${resource}:read`),
  write: scopeOf(`${resource}:write`),
}));

function scopeOf(name: string): Scope | null {
  return scopes.find((scope) => scope === name) ?? null;
}

const isContent = (scope: Scope): boolean => /^(assets|playlists|layouts|schedules|drafts|versions):/.test(scope);
const isControl = (scope: Scope): boolean => /^(players|commands|screenshots|events):/.test(scope);
/** Rights of people, and records of their actions: not for a program that only looks at screens. */
const isPeople = (scope: Scope): boolean => /^(teams|tokens|audit):/.test(scope);

/** Suggestions for common programs. */
export const presets: readonly { name: string; includes: (scope: Scope) => boolean }[] = [
  { name: text("presetRead"), includes: (scope) => scope.endsWith(":read") && !isPeople(scope) },
  { name: text("presetShow"), includes: (scope) => isContent(scope) || scope === "players:read" || scope === "players:write" },
  { name: text("presetControl"), includes: isControl },
  { name: text("presetAll"), includes: () => true },
];

/** The permissions of a token, in a few words. */
export function summaryOf(selection: readonly Scope[]): string {
  if (selection.length === scopes.length) return text("everything");
  if (selection.every((scope) => scope.endsWith(":read"))) return text("readOnly");
  return text("some", { count: selection.length });
}
