// The choices of the picker of screens for the typed text, and the targets that choosing makes.
import type { Key } from "react-aria-components";
import { texts } from "../../i18n/texts.ts";
import { noTarget, type Target, type TeamScreen } from "./target.ts";

const text = texts("targets");

/** Something to choose: all screens, those with a tag, or one. */
export interface Choice {
  id: string;
  kind: "everywhere" | "tag" | "player";
  /** The tag, or the id of the player. */
  key: string;
  name: string;
  /** How many screens; null: it is one. */
  count: number | null;
  isOffline: boolean;
}

const mostChoices = 50;

/** The choices that match the typed text, without those that are chosen already; `more` have no place in the list. */
export function choicesFor(options: { screens: readonly TeamScreen[]; query: string; value: Target; allowsEverywhere: boolean }): {
  choices: Choice[];
  more: number;
} {
  const { screens, query, value, allowsEverywhere } = options;
  if (value.everywhere === true) return { choices: [], more: 0 };
  const search = query.trim().toLocaleLowerCase();
  const matches = (name: string): boolean => name.toLocaleLowerCase().includes(search);
  const counts = new Map<string, number>();
  for (const { tags } of screens) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const all = { id: "everywhere", kind: "everywhere", key: "", name: text("everywhere"), count: screens.length, isOffline: false } as const;
  const tags = [...counts]
    .filter(([tag]) => matches(tag) && !value.tags.includes(tag))
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([tag, count]): Choice => ({ id: `tag:${tag}`, kind: "tag", key: tag, name: tag, count, isOffline: false }));
  const playerIds = new Set(value.players);
  const players = screens
    .filter(({ id, name }) => matches(name) && !playerIds.has(id))
    .map(({ id, name, status }): Choice => ({
      id: `player:${id}`,
      kind: "player",
      key: id,
      name,
      count: null,
      isOffline: status === "offline",
    }));
  const choices = [...(allowsEverywhere && screens.length > 0 && matches(all.name) ? [all] : []), ...tags, ...players];
  return { choices: choices.slice(0, mostChoices), more: Math.max(0, choices.length - mostChoices) };
}

const mostSuggestions = 6;

/** The tags with the most screens, all screens, and the screens themselves if they are few. */
export function suggestionsFor(screens: readonly TeamScreen[], allowsEverywhere: boolean): Choice[] {
  const { choices } = choicesFor({ screens, query: "", value: noTarget, allowsEverywhere: allowsEverywhere && screens.length > 1 });
  const tags = choices.filter(({ kind }) => kind === "tag").toSorted((a, b) => b.count! - a.count!);
  const players = choices.filter(({ kind }) => kind === "player");
  const all = [...choices.filter(({ kind }) => kind === "everywhere"), ...tags];
  return [...all, ...(players.length <= mostSuggestions ? players : [])].slice(0, mostSuggestions);
}

/** The target with a choice added. */
export function withChoice(value: Target, { kind, key }: Choice): Target {
  if (kind === "everywhere") return { ...noTarget, everywhere: true };
  return kind === "tag" ? { ...value, tags: [...value.tags, key] } : { ...value, players: [...value.players, key] };
}

/** The target without the choice of this key. */
export function withoutChoice(value: Target, choiceKey: Key): Target {
  if (choiceKey === "everywhere") return noTarget;
  const [, kind, key] = /^(tag|player):([^]*)$/.exec(String(choiceKey)) ?? [];
  if (kind === "tag") return { ...value, tags: value.tags.filter((tag) => tag !== key) };
  return { ...value, players: value.players.filter((id) => id !== key) };
}
