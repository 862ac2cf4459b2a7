// What the tests of publishing share: content of a team, and reading it as a whole.
import type { ApiResponse } from "../harness.ts";

/** Whoever calls the API: the service's owner, or a person. */
export interface Caller {
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<ApiResponse>;
}

/** Calls that must succeed. */
export async function done(by: Caller, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const answer = await by.call(method, path, body, headers);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** The header of a draft. */
export function within(draft: { id: string }): Record<string, string> {
  return { "signage-draft": draft.id };
}

/** A text item of a playlist. */
export function text(words: string): object {
  return { type: "text", text: words, duration_ms: 5_000 };
}

const volatile = ["updated_at", "summary", "next_at", "screens", "warnings"];

/** A resource without what depends on the time. */
export function lasting(resource: object): unknown {
  return Object.fromEntries(Object.entries(resource).filter(([name]) => !volatile.includes(name)));
}

/** All content that is published, or as it is in a draft, without what depends on the time. */
export async function contentOf(by: Caller, headers: Record<string, string> = {}): Promise<Map<string, unknown>> {
  const content = new Map<string, unknown>();
  for (const list of ["playlists", "layouts", "schedules", "calendars"]) {
    for (let cursor: string | null = ""; cursor !== null;) {
      const page: { data: Record<string, unknown>[]; next_cursor: string | null } = await done(
        by,
        "GET",
        `${list}?limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`,
        undefined,
        headers,
      );
      for (const each of page.data) {
        content.set(String(each["id"]), lasting(each));
      }
      cursor = page.next_cursor;
    }
  }
  return content;
}

/** A layout that shows one playlist on its whole area. */
export function layoutOf(name: string, playlistId: string | null): object {
  return { name, width: 100, height: 100, zones: [{ name: "main", left: 0, top: 0, width: 100, height: 100, playlist_id: playlistId }] };
}
