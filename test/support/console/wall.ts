// A service with the console and many screens, written into its database as if they had just been connected.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { Heartbeat } from "../../../src/protocol/device/heartbeat.ts";
import type { ServiceConfig } from "../../../src/service/config.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { heartbeat, TestService } from "../../service/harness.ts";
import { builtRenderer } from "../page-build.ts";

type Row = Record<string, SQLInputValue>;

/** A screen as the service knows it. */
export interface StoredScreen {
  name: string;
  tags?: readonly string[];
  /** Its last heartbeat; null: it has never connected. */
  says: Partial<Heartbeat> | null;
  /** How long ago its last heartbeat arrived; more than two minutes: it is offline. Default: just now. */
  silentMs?: number;
}

export interface WallService {
  service: TestService;
  /** The ids of the stored screens, in their order. */
  ids: readonly string[];
  [Symbol.asyncDispose]: () => Promise<void>;
}

const onlineMs = 120_000;

/** The id of the stored screen at a place. */
function storedId(place: number): string {
  return `plr_${place.toString().padStart(26, "0")}`;
}

/** What a screen says that plays a layout. */
export function playing(layoutId: string | null, name = "Menu"): Partial<Heartbeat> {
  const content = { is: "applied" as const, revision: "r", applied_revision: "r", ready_bytes: 0, total_bytes: 0, detail: null };
  const why = [{ layer: "default" as const, id: null, name, layout_id: layoutId, verdict: "shows" as const, detail: "" }];
  return { content, why, rendering: true, uptime_ms: 600_000 };
}

/** Starts a service in which these screens are stored. */
export async function startWall(screens: readonly StoredScreen[], more: Partial<ServiceConfig> = {}): Promise<WallService> {
  const { service, walls } = await startWalls([screens], more);
  return { service, ids: walls[0]!.ids, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** Starts a service in which each of these lists of screens is stored in a team of its own: the first in the owner's first team. */
export async function startWalls(
  lists: readonly (readonly StoredScreen[])[],
  more: Partial<ServiceConfig> & { clock?: Clock } = {},
): Promise<{ service: TestService; walls: readonly { service: TestService; ids: readonly string[] }[] }> {
  const folder = await mkdtemp(join(tmpdir(), "signage-wall-"));
  const config = { consoleFolder: join(await builtRenderer(), "console"), ...more };
  let pattern: string;
  const teams: { id: string | null; token: string }[] = [];
  {
    await using first = await TestService.start(folder, config);
    pattern = (await first.pairDevice("Pattern")).playerId;
    for (const _ of lists) teams.push(teams.length === 0 ? { id: null, token: first.token } : await first.addTeam());
  }
  const stored = lists.flatMap((screens, list) => screens.map((screen) => ({ ...screen, teamId: teams[list]!.id })));
  store(folder, pattern, stored);
  const service = await TestService.start(folder, config);
  const dispose = service[Symbol.asyncDispose].bind(service);
  Object.assign(service, {
    async [Symbol.asyncDispose]() {
      await dispose();
      await rm(folder, { recursive: true, force: true });
    },
  });
  let place = 0;
  const walls = lists.map((screens, list) => ({
    service: service.withToken(teams[list]!.token),
    ids: screens.map(() => storedId(place++)),
  }));
  return { service, walls };
}

/** @param screens `teamId` null: the team of the pattern */
function store(folder: string, pattern: string, screens: readonly (StoredScreen & { teamId: string | null })[]): void {
  using state = new DatabaseSync(join(folder, "state.db"));
  using telemetry = new DatabaseSync(join(folder, "telemetry.db"));
  const player = state.prepare("SELECT * FROM players WHERE id = ?").get(pattern) as Row;
  const now = Date.now();
  const players: Row[] = [];
  const links: Row[] = [];
  const tagRows: Row[] = [];
  const heartbeats: Row[] = [];
  for (const [place, { name, tags = [], says, silentMs = 0, teamId }] of screens.entries()) {
    const id = storedId(place);
    const team_id = teamId ?? player["team_id"]!;
    players.push({
      ...player,
      id,
      team_id,
      name,
      tags: JSON.stringify(tags),
      public_key: `key ${place}`,
      created_at: now - 86_400_000 + place,
    });
    for (const tag of tags) tagRows.push({ player_id: id, team_id, tag });
    if (says === null) continue;
    heartbeats.push({ player_id: id, received_at: now - silentMs, body: JSON.stringify(heartbeat(says)) });
    links.push({ player_id: id, is_online: Number(silentMs < onlineMs), since: now, error: null, problems: "" });
  }
  state.exec("DELETE FROM player_links");
  for (const [table, rows] of Object.entries({ players, player_links: links, player_tags: tagRows })) insert(state, table, rows);
  insert(telemetry, "heartbeats", heartbeats);
  state.prepare("DELETE FROM players WHERE id = ?").run(pattern);
}

function insert(file: DatabaseSync, table: string, rows: readonly Row[]): void {
  const [first] = rows;
  if (first === undefined) return;
  const names = Object.keys(first);
  const statement = file.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`);
  file.exec("BEGIN");
  for (const row of rows) statement.run(...names.map((name) => row[name]!));
  file.exec("COMMIT");
}
