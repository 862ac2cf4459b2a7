// Fills a service's data folder with as many players and assets as a large customer has.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { startService } from "../test/support/programs/programs.ts";
import { plainImage } from "../test/support/media/media.ts";
import { call, Device, heartbeat } from "../test/service/harness.ts";

type Row = Record<string, SQLInputValue>;

/** The admin token of a filled folder, and one asset and one player in it. */
export interface FilledFolder {
  token: string;
  assetId: string;
  playerId: string;
}

/** Creates one player and one asset through the API, then copies of them by SQL. */
export async function fillDataFolder(folder: string, assets: number, players: number): Promise<FilledFolder> {
  const first = await createFirst(folder);
  using state = new DatabaseSync(join(folder, "state.db"));
  using telemetry = new DatabaseSync(join(folder, "telemetry.db"));
  const asset = state.prepare("SELECT * FROM assets WHERE id = ?").get(first.assetId) as Row;
  const player = state.prepare("SELECT * FROM players WHERE id = ?").get(first.playerId) as Row;
  const heartbeatRow = telemetry.prepare("SELECT * FROM heartbeats WHERE player_id = ?").get(first.playerId) as Row;
  const since = Number(asset["created_at"]) - assets * 1_000;
  insert(state, "assets", assets, (place) => ({ ...asset, ...own("ast", place, since), sha256: randomBytes(32).toString("hex") }));
  insert(state, "players", players, (place) => ({
    ...player,
    ...own("plr", place, since),
    public_key: randomBytes(32).toString("base64url"),
  }));
  insert(telemetry, "heartbeats", players, (place) => ({ ...heartbeatRow, player_id: own("plr", place, since).id }));
  return first;
}

async function createFirst(folder: string): Promise<FilledFolder> {
  await using service = await startService(folder);
  const { api } = service;
  const token = (await readFile(join(folder, "admin-token"), "utf8")).trim();
  const assetId = await api.upload("picture.png", await plainImage([20, 160, 60], 64, 64));
  const device = new Device(api.url);
  const { user_code: code } = await device.askForCode();
  const player = await api.ok("POST", "players/pair", { code, name: "Lobby" });
  await device.firstToken();
  const response = await call(api.url, "POST", "device/heartbeat", heartbeat(), { authorization: `Bearer ${device.access.access_token}` });
  if (response.status !== 200) throw new Error(`no heartbeat: ${response.status}`);
  return { token, assetId, playerId: player.id };
}

function own(prefix: string, place: number, since: number) {
  return { id: `${prefix}_${place.toString().padStart(26, "0")}`, name: `${prefix} ${place}`, created_at: since + place * 1_000 };
}

function insert(file: DatabaseSync, table: string, count: number, rowOf: (place: number) => Row): void {
  const names = Object.keys(rowOf(0));
  const statement = file.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`);
  file.exec("BEGIN");
  for (let place = 0; place < count; place += 1) {
    const row = rowOf(place);
    statement.run(...names.map((name) => row[name]!));
  }
  file.exec("COMMIT");
}
