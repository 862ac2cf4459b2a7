// Where content is read and written in this tab: as it is published, or in a draft. Also which requests that concerns. Knows no page.

/** The draft that a person works in. */
export interface ActiveDraft {
  id: string;
  name: string;
}

/** The header of the API that names the draft. */
export const draftHeader = "Signage-Draft";

/** In place of a draft's id in a request of this page: content as it is published, also while the person works in a draft. */
export const published = "published";

const storageKey = "draft";
const id = "[a-z]{3}_[0-9a-z]{26}";
/** The operations that the API does in a draft, after `/api/v1/`. */
const content = new RegExp(
  `^(?:${[
    `(?:playlists|layouts|schedules|calendars)(?:/${id}(?:/(?:restore|uses))?)?`,
    "(?:playlists|schedules)/import",
    "schedules/effect",
    `calendars/${id}/effect`,
    "timeline",
    `players/${id}/(?:forecast|why|control-preview|desired-state)`,
    `preview-tickets(?:/${id}/content)?`,
    `assets/${id}/(?:uses|replace)`,
    "versions/[0-9]+/restore",
  ].join("|")})$`,
);
/** The first parts of the cache keys of content, and of data that depends on content. */
const contentKinds = [
  "playlists",
  "layouts",
  "schedules",
  "calendars",
  "players",
  "previews",
  "player-previews",
  "preview-tickets",
  "imports",
];

/** Requests that only try something out, whatever their method, after `/api/v1/`. */
const trial = /^(?:schedules\/effect|calendars\/[^/]+\/effect|preview-tickets(?:\/.*)?)$/;

let active: ActiveDraft | null = readStored();
/** True if the first change that a person makes outside of a draft creates one. */
let isCollecting = false;
/** The key of content in the cache; null: of published content. A draft that collects changes keeps the key from before its creation. */
let key: string | null = active?.id ?? null;
let collections = 0;
const listeners = new Set<() => void>();

function readStored(): ActiveDraft | null {
  const text = globalThis.sessionStorage?.getItem(storageKey) ?? null;
  if (text === null) return null;
  try {
    const { id, name } = JSON.parse(text) as Partial<ActiveDraft>;
    return typeof id === "string" && typeof name === "string" ? { id, name } : null;
  } catch (error) {
    // Something else has written there.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The draft that this tab works in; null: it works on the published content. */
export function activeDraft(): ActiveDraft | null {
  return active;
}

/** Works in this draft from now on. It survives a reload of the tab. */
export function setActiveDraft(draft: ActiveDraft | null): void {
  if (draft?.id !== active?.id) key = draft?.id ?? outside();
  setActive(draft);
}

/** Works in the draft that was made for the first change. Earlier answers are valid in it, since it was empty. */
export function setCollectingDraft(draft: ActiveDraft): void {
  setActive(draft);
}

/** Turns on or off that changes outside of a draft are collected in one, which the first change creates. */
export function setCollecting(value: boolean): void {
  if (value === isCollecting) return;
  isCollecting = value;
  if (active === null) key = outside();
  tell();
}

/** True if the next change creates a draft. */
export function makesDraft(): boolean {
  return isCollecting && active === null;
}

export function collectsChanges(): boolean {
  return isCollecting;
}

/** The key of the content to show, of a draft or as it is published. It changes when other content is to be shown. */
export function placeKey(): string | null {
  return key;
}

function outside(): string | null {
  if (!isCollecting) return null;
  collections += 1;
  return `collection ${collections}`;
}

function setActive(draft: ActiveDraft | null): void {
  active = draft;
  if (draft === null) sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, JSON.stringify(draft));
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}

/** @returns the function that ends listening */
export function listenToDraft(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** True if the API can serve the request in a draft. @param path after the address of the service */
export function isContentRequest(path: string): boolean {
  return path.startsWith("/api/v1/") && content.test(path.slice("/api/v1/".length));
}

/** True if the request changes content; false if it only reads or tries something. @param path after the address of the service */
export function isContentWrite(method: string, path: string, search: URLSearchParams): boolean {
  if (method === "GET" || search.has("dry_run")) return false;
  return isContentRequest(path) && !trial.test(path.slice("/api/v1/".length));
}

/** The key of the cache for an answer in the place where the tab works: each draft has a place of its own there. */
export function contentKey(parts: readonly unknown[]): readonly unknown[] {
  const [kind, part] = parts;
  const isContent = contentKinds.includes(String(kind)) || (kind === "assets" && (part === "uses" || part === "replacement"));
  return key !== null && isContent ? ["in", key, ...parts] : parts;
}

/** The first parts of all keys that are old when content changes. The ticket of a preview stays good. */
export const contentKeys: readonly string[] = contentKinds.filter((kind) => kind !== "preview-tickets");
