// Uses a service as operators and devices do, to see that it works: content, files, drafts, pairing, socket, state, command.
import { Device, heartbeat } from "../../../test/service/harness.ts";
import { Api } from "../../../test/support/programs/programs.ts";

/** What was written, to be looked for later. */
export interface Written {
  playlistId: string;
  playlistName: string;
  layoutId: string;
  playerId: string;
}

/** Creates, reads and changes content, pairs a device and sends it a command. @param label makes its names unique. @throws Error when anything fails. */
export async function useService(url: string, token: string, label: string): Promise<Written> {
  const api = new Api(url, token);
  const { playlistId, layoutId } = await api.publish([{ type: "web", url: "https://example.com/", duration_ms: 10_000 }]);
  const playlistName = `${label}, renamed`;
  await api.ok("PATCH", `playlists/${playlistId}`, { name: playlistName });
  await publishDraft(api, label);
  const playerId = await usePlayer(api, label, layoutId);
  const written = { playlistId, playlistName, layoutId, playerId };
  await findWritten(url, token, written);
  return written;
}

/** @throws Error when something is not there. */
export async function findWritten(url: string, token: string, { playlistId, playlistName, layoutId, playerId }: Written): Promise<void> {
  const api = new Api(url, token);
  const { name } = await api.ok("GET", `playlists/${playlistId}`);
  if (name !== playlistName) throw new Error(`the playlist is called ${String(name)} instead of ${playlistName}`);
  const { layout_id } = await api.ok("GET", `players/${playerId}`);
  if (layout_id !== layoutId) throw new Error(`the player has the layout ${String(layout_id)} instead of ${layoutId}`);
}

async function publishDraft(api: Api, label: string): Promise<void> {
  const draft = await api.ok("POST", "drafts", { name: label });
  const headers = { authorization: `Bearer ${api.token}`, "content-type": "application/json", "signage-draft": draft.id };
  const body = JSON.stringify({ name: `${label}, drafted` });
  const { status } = await fetch(`${api.url}/api/v1/playlists`, { method: "POST", headers, body });
  if (status !== 201) throw new Error(`a playlist in a draft: ${status}`);
  const { version } = await api.ok("POST", `drafts/${draft.id}/publish`, {});
  if (typeof (version as { number?: unknown } | undefined)?.number !== "number") throw new Error("a published draft has no version");
}

/** Pairs a device, connects it, and lets it have its layout and a command. @returns the player's id. */
async function usePlayer(api: Api, label: string, layoutId: string): Promise<string> {
  const device = new Device(api.url);
  const { user_code } = await device.askForCode();
  await api.ok("POST", "players/pair", { code: user_code, name: label });
  const { player_id } = await device.firstToken();
  const socket = await device.connect();
  try {
    await api.ok("PATCH", `players/${player_id}`, { layout_id: layoutId });
    await socket.next("state.changed");
    const state = await device.call("GET", "state");
    if (state.status !== 200 || !JSON.stringify(state.body).includes(layoutId)) throw new Error(`the device's state: ${state.status}`);
    await api.ok("POST", `players/${player_id}/commands`, { type: "ping", ttl_s: 600 });
    await socket.next("command");
    socket.send({ type: "heartbeat", data: heartbeat() });
    await socket.next("heartbeat.answer");
    const renewed = await device.renew();
    if (renewed.status !== 200) throw new Error(`the device's token is not renewed: ${renewed.status}`);
  } finally {
    socket.socket.terminate();
  }
  return player_id;
}
