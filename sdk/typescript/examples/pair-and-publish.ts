// Claims the player that shows CODE and puts PICTURE on it. Prints the player's id.
// Usage: SIGNAGE_URL=http://127.0.0.1:8080 SIGNAGE_TOKEN=sgn_pat_… node pair-and-publish.ts CODE PICTURE
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { createClient } from "../client.ts";

const [code = "", picture = ""] = process.argv.slice(2);
const client = createClient({ baseUrl: process.env["SIGNAGE_URL"]!, token: process.env["SIGNAGE_TOKEN"]!, retries: 3 });

const { data: player } = await client.post("/api/v1/players/pair", { body: { code, name: "Lobby" } });
const { data: asset } = await client.post("/api/v1/assets", {
  params: { query: { name: basename(picture) } },
  body: await readFile(picture),
});
const { data: playlist } = await client.post("/api/v1/playlists", {
  body: { name: "Lobby", items: [{ type: "image", asset_id: asset.id, duration_ms: 10_000 }] },
});
const zone = { name: "main", left: 0, top: 0, width: 1920, height: 1080, playlist_id: playlist.id };
const { data: layout } = await client.post("/api/v1/layouts", { body: { name: "Lobby", width: 1920, height: 1080, zones: [zone] } });
await client.patch("/api/v1/players/{id}", { params: { path: { id: player.id } }, body: { layout_id: layout.id } });
process.stdout.write(`${player.id}\n`);
