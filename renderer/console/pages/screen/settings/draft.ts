// The unsaved changes of a person to the settings of a screen. They outlive the page, so that nothing typed is lost.
import { useEffect, useSyncExternalStore } from "react";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";

/** The settings that the form has. */
export type Settings = Pick<
  Schemas["Player"],
  | "name"
  | "tags"
  | "orientation"
  | "wall"
  | "timezone"
  | "layout_id"
  | "variables"
  | "display_hours"
  | "recurring_commands"
  | "screenshots"
  | "maintenance_until"
  | "downloads"
  | "safe_asset_id"
>;
export type SettingName = keyof Settings;

/** A changed setting: its value when the person began to change it, and the new value. */
interface Change {
  base: unknown;
  value: unknown;
}
type Changes = Readonly<Partial<Record<SettingName, Change>>>;

const none: Changes = {};
const drafts = new Map<string, Changes>();
const listeners = new Set<() => void>();

function store(id: string, changes: Changes): void {
  if (Object.keys(changes).length === 0) drafts.delete(id);
  else drafts.set(id, changes);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export interface Draft {
  /** The values in the form: the person's changes, else the service's values. */
  settings: Settings;
  changedNames: readonly SettingName[];
  /** Changed settings that somebody else has changed to something else meanwhile. */
  conflicts: readonly SettingName[];
  set: <K extends SettingName>(name: K, value: Settings[K]) => void;
  /** Keeps the person's value although somebody else has changed the setting. */
  keep: (name: SettingName) => void;
  /** Forgets the person's value of one setting. */
  drop: (name: SettingName) => void;
  clear: () => void;
}

/** @param server the settings as the service has them now */
export function useDraft(id: string, server: Settings): Draft {
  const changes = useSyncExternalStore(subscribe, () => drafts.get(id) ?? none);
  const changedNames = (Object.keys(changes) as SettingName[]).filter((name) => !isSame(changes[name]!.value, server[name]));
  const isDirty = changedNames.length > 0;
  useEffect(() => {
    if (!isDirty) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isDirty]);
  const drop = (name: SettingName): void => {
    const { [name]: _dropped, ...rest } = drafts.get(id) ?? none;
    store(id, rest);
  };
  return {
    settings: { ...server, ...Object.fromEntries(changedNames.map((name) => [name, changes[name]!.value])) },
    changedNames,
    conflicts: conflictsOf(id, server),
    set(name, value) {
      const before = drafts.get(id) ?? none;
      if (isSame(value, server[name])) return drop(name);
      const base = before[name] === undefined ? server[name] : before[name].base;
      store(id, { ...before, [name]: { base, value } });
    },
    keep(name) {
      const before = drafts.get(id) ?? none;
      store(id, { ...before, [name]: { base: server[name], value: before[name]!.value } });
    },
    drop,
    clear: () => store(id, none),
  };
}

/** The settings that the person and somebody else have changed in different ways. */
export function conflictsOf(id: string, server: Settings): SettingName[] {
  const changes = drafts.get(id) ?? none;
  return (Object.keys(changes) as SettingName[]).filter(
    (name) => !isSame(changes[name]!.base, server[name]) && !isSame(changes[name]!.value, server[name]),
  );
}

/** The body of the request that saves the draft. */
export function changeOf(id: string): Schemas["PlayerChange"] {
  const changes = drafts.get(id) ?? none;
  return Object.fromEntries(Object.entries(changes).map(([name, { value }]) => [name, value]));
}

/** True if two values of JSON are equal, in whatever order their keys are. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sortKeys(one)) === JSON.stringify(sortKeys(other));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, each]) => [key, sortKeys(each)]),
  );
}
