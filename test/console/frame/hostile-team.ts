// A team in which every text that the API accepts tries to become a script or an element of a page.
import { expect } from "vitest";
import { openDatabase } from "../../service/people/teams/two-teams.ts";
import { owner, Person } from "../../service/people/people.ts";
import { populateTeam, type PopulatedTeam } from "../../service/populate-team.ts";
import type { ApiResponse, TestService } from "../../service/harness.ts";

/** Each would leave a trace: an element with `data-xss`, or `globalThis.xss`. */
const attacks = [
  `"><img data-xss src=x onerror="globalThis.xss=1">`,
  `<script data-xss>globalThis.xss=2</script>`,
  `<svg data-xss onload=globalThis.xss=3><a xlink:href="javascript:globalThis.xss=4">`,
  `'-globalThis.xss=5-'</title></textarea><iframe data-xss srcdoc="<script>parent.xss=6</script>">`,
  `{{constructor.constructor('globalThis.xss=7')()}}<a data-xss href="javascript:globalThis.xss=8">`,
  `\u202e[x](javascript:globalThis.xss=9)<b data-xss>${"wide".repeat(20)}`,
];
const attackUrl = "javascript:globalThis.xss=10";

/** Sends what it is given with an attack in the place of each text that the service accepts one in. */
export class HostilePerson extends Person {
  /** The fields that hold an attack, as `POST /layouts /name`. */
  readonly fields = new Set<string>();
  /** The fields that accepted a URL that runs a script. */
  readonly scriptUrls = new Set<string>();

  override async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const isJson = typeof body === "object" && body !== null && !(body instanceof Uint8Array);
    if (!isJson || !["POST", "PUT", "PATCH"].includes(method)) return super.call(method, path, body, headers);
    // Refused fields get what was meant; after some rounds only those are left that accept an attack.
    const kept = new Set<string>();
    for (let round = 0; round < 12; round += 1) {
      const replaced = new Map<string, string>();
      const answer = await super.call(method, path, withAttacks(body, "", kept, replaced), headers);
      if (answer.status < 300) {
        for (const [pointer, value] of replaced) {
          this.fields.add(`${method} ${path.replaceAll(/[a-z]+_[0-9a-z]{26}/g, "{id}")} ${pointer}`);
          if (value === attackUrl) this.scriptUrls.add(`${path} ${pointer}`);
        }
        return answer;
      }
      const refused = ((answer.body?.errors ?? []) as { pointer: string }[]).map(({ pointer }) => pointer);
      const before = kept.size;
      for (const pointer of replaced.keys())
        if (refused.some((each) => pointer === each || pointer.startsWith(`${each}/`) || each.startsWith(`${pointer}/`))) kept.add(pointer);
      if (kept.size === before) break;
    }
    return super.call(method, path, body, headers);
  }
}

function withAttacks(value: unknown, pointer: string, kept: ReadonlySet<string>, replaced: Map<string, string>): unknown {
  if (typeof value === "string") {
    // Ids lead to what was created before.
    if (kept.has(pointer) || /^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/.test(value)) return value;
    const attack = /^https?:/.test(value) ? attackUrl : attacks[replaced.size % attacks.length]!;
    replaced.set(pointer, attack);
    return attack;
  }
  if (Array.isArray(value)) return value.map((each, index) => withAttacks(each, `${pointer}/${index}`, kept, replaced));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withAttacks(each, `${pointer}/${key}`, kept, replaced)]));
}

/** Fills the team of `api` with one resource of every kind. */
export async function populateHostileTeam(api: TestService): Promise<PopulatedTeam & { person: HostilePerson }> {
  const { userId, teamId, tokenId, secret } = await owner(api);
  const person = new HostilePerson(api, { user: { id: userId }, team: { id: teamId }, token: { id: tokenId, secret } });
  using file = openDatabase(api.folder);
  const team = await populateTeam(api, person, file);
  const { device } = team;
  for (const [method, path, body] of [
    ["PATCH", "me", { name: "Ann" }],
    ["PATCH", `teams/${teamId}`, { name: "Team" }],
    ["PATCH", `players/${device.playerId}`, { name: "Lobby", tags: ["hall"] }],
    ["PATCH", `assets/${team.pool.get("ast")}`, { name: "Picture", tags: ["menu"] }],
  ] as const)
    expect((await person.call(method, path, body)).status).toBe(200);
  const report = { kind: "plays", group_by: "player", last_days: 7 };
  const link = await person.call("POST", "report-links", { name: "Landlord", report });
  expect(link.status).toBe(201);
  team.pool.set("shared report", link.body.secret);
  const draft = await person.call("POST", "drafts", { name: "Spring menu", note: "Agreed" });
  expect(draft.status).toBe(201);
  team.pool.set("drf", draft.body.id);
  for (const [noun, prefix] of [
    ["playlists", "pls"],
    ["layouts", "lay"],
    ["schedules", "sch"],
  ] as const) {
    const changed = await person.call("PATCH", `${noun}/${team.pool.get(prefix)}`, { name: "Other" }, { "signage-draft": draft.body.id });
    expect(changed.status).toBe(200);
  }
  team.pool.set("version number", "1");
  return { ...team, person };
}
