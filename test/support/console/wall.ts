// A service with the console and many screens, written into its database as if they had just been connected.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { Heartbeat } from "../../../src/protocol/device/heartbeat.ts";
import type { ServiceConfig } from "../../../src/service/config.ts";
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
  const folder = await mkdtemp(join(tmpdir(), "signage-wall-"));
  const config = { consoleFolder: join(await builtRenderer(), "console"), ...more };
  let pattern: string;
  {
    await using first = await TestService.start(folder, config);
    pattern = (await first.pairDevice("Pattern")).playerId;
  }
  store(folder, pattern, screens);
  const service = await TestService.start(folder, config);
  return {
    service,
    ids: screens.map((_, place) => storedId(place)),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function store(folder: string, pattern: string, screens: readonly StoredScreen[]): void {
  using state = new DatabaseSync(join(folder, "state.db"));
  using telemetry = new DatabaseSync(join(folder, "telemetry.db"));
  const player = state.prepare("SELECT * FROM players WHERE id = ?").get(pattern) as Row;
  const now = Date.now();
  const players: Row[] = [];
  const links: Row[] = [];
  const tagRows: Row[] = [];
  const heartbeats: Row[] = [];
  for (const [place, { name, tags = [], says, silentMs = 0 }] of screens.entries()) {
    const id = storedId(place);
    players.push({ ...player, id, name, tags: JSON.stringify(tags), public_key: `key ${place}`, created_at: now - 86_400_000 + place });
    for (const tag of tags) tagRows.push({ player_id: id, team_id: player["team_id"]!, tag });
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
