// Publishes many versions of random content, and goes back to random ones.
import { expect } from "vitest";
import { seededRandom } from "../../support/random.ts";
import type { ApiResponse } from "../harness.ts";
import { contentOf, done, lasting, layoutOf, text, type Caller } from "./content.ts";

type Random = () => number;
type Content = ReadonlyMap<string, unknown>;

const kinds = ["playlists", "playlists", "layouts", "schedules", "calendars"] as const;

/**
 * Publishes `wanted` versions and restores `restored` of them, each of which must be as it was.
 * @param by whoever publishes; the team has no content yet
 */
export async function walkVersions(by: Caller, wanted: number, restored: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const at = await publish(by, wanted, random);
  expect(await contentOf(by)).toEqual(at.at(-1));
  for (let tries = 0; tries < restored; tries += 1) {
    const number = 1 + Math.floor(random() * wanted);
    const { skipped } = await done(by, "POST", `versions/${number}/restore`, { note: "back" });
    expect([number, skipped]).toEqual([number, []]);
    expect([number, await contentOf(by)]).toEqual([number, at[number - 1]]);
  }
}

/** The content at each version. */
async function publish(by: Caller, wanted: number, random: Random): Promise<Content[]> {
  const at: Content[] = [];
  const change = changer(by, random);
  let published = new Map<string, unknown>();
  for (let count = 0; at.length < wanted; count += 1) {
    if ((await change(count)).status >= 300) continue;
    const [newest] = (await done(by, "GET", "versions?limit=1")).data;
    if (newest === undefined || newest.number === at.length) continue;
    published = new Map(published);
    for (const { kind, id } of newest.changes as { kind: string; id: string }[]) {
      const read = await by.call("GET", `${kind}s/${id}`);
      if (read.status === 404) published.delete(id);
      else published.set(id, lasting(read.body));
    }
    at.push(published);
  }
  return at;
}

/** Creates, changes, deletes and restores at random. Some of it is refused. */
function changer(by: Caller, random: Random): (count: number) => Promise<ApiResponse> {
  const ids = { playlists: [] as string[], layouts: [] as string[], schedules: [] as string[], calendars: [] as string[] };
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const anyOf = (list: readonly string[]) => (list.length === 0 ? null : pick(list));
  return async (count) => {
    const kind = pick(kinds);
    const name = `${kind} ${count}`;
    const bodies = {
      playlists: { name, items: [text(name), text("same")] },
      layouts: layoutOf(name, anyOf(ids.playlists)),
      schedules: { name, layout_id: anyOf(ids.layouts), target: { type: "team" }, starts_at: "2026-11-27T22:00", priority: count % 100 },
      calendars: { name, dates: [{ date: "2026-12-25" }] },
    };
    const id = anyOf(ids[kind]);
    const act = random();
    if (id === null || act < 0.25) {
      const created = await by.call("POST", kind, bodies[kind]);
      if (created.status === 201) ids[kind].push(created.body.id);
      return created;
    }
    if (act < 0.7) return by.call("PATCH", `${kind}/${id}`, bodies[kind]);
    return act < 0.92 ? by.call("DELETE", `${kind}/${id}`) : by.call("POST", `${kind}/${id}/restore`);
  };
}
