// The last choices of a person in the search, on this device: only ids, no names.
const most = 8;

const keyOf = (teamId: string): string => `recent:${teamId}`;

/** The ids of the last choices, the newest first. */
export function recentOf(teamId: string): readonly string[] {
  const stored = localStorage.getItem(keyOf(teamId));
  return stored === null ? [] : stored.split("\n");
}

/** Remembers a choice. */
export function remember(teamId: string, id: string): void {
  const others = recentOf(teamId).filter((each) => each !== id);
  localStorage.setItem(keyOf(teamId), [id, ...others].slice(0, most).join("\n"));
}
