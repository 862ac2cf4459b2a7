// An agent's whole task over MCP with real players: find the dark screen, look at it, publish content, look again.
import { join } from "node:path";
import sharp from "sharp";
import { expect, test } from "vitest";
import { Agent } from "../service/mcp/agent.ts";
import { temporaryFolder } from "../support/folder.ts";
import { plainImage } from "../support/media/media.ts";
import { eventually } from "../support/polling.ts";
import { startPlayer, startService } from "../support/programs/programs.ts";

const red = [220, 30, 40] as const;
const green = [20, 160, 60] as const;

/** The color in the middle of a picture. */
async function middleOf(base64: string): Promise<number[]> {
  const { data, info } = await sharp(Buffer.from(base64, "base64")).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * info.channels;
  return [...data.subarray(at, at + 3)];
}

// A screenshot may come as JPEG.
const isNear = (seen: readonly number[], wanted: readonly number[]) =>
  seen.every((value, channel) => Math.abs(value - wanted[channel]!) <= 12);

test("[MCP18] over MCP an agent finds the one of two players whose screen is dark, sees its screen, publishes to it, shows something else for a limited time and ends that", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "service"));
  const { api } = service;
  const usual = await api.publish([
    { type: "image", asset_id: await api.upload("red.png", await plainImage(red)), duration_ms: 60_000, fit: "fill" },
  ]);
  await using lit = startPlayer(api.url, join(folder.path, "lit"));
  await using dark = startPlayer(api.url, join(folder.path, "dark"));
  await using agent = await Agent.connect(api.url, api.token, "2026");
  await agent.client.listTools();
  // The agent claims both, and gives only one of them content.
  const claim = async (player: typeof lit, name: string): Promise<string> => {
    const { code } = await player.line("pairing code");
    return (await agent.ok("pair_player", { code, name })).result.id;
  };
  const litId = await claim(lit, "Lobby");
  const darkId = await claim(dark, "Hall");
  await agent.ok("update_player", { id: litId, layout_id: usual.layoutId });

  // The agent finds the dark player by the presented items, not by the assigned layout.
  const found = await eventually(async () => {
    const { data } = await agent.ok("list_players", { status: "online" });
    const now = await Promise.all(data.map(({ id }: { id: string }) => agent.ok("get_player_now", { id })));
    const shows = now.filter(({ now_playing }) => now_playing.length > 0).map(({ player_id }) => player_id);
    return data.length === 2 && shows.length === 1 && now.every(({ received_at }) => received_at !== null)
      ? now.find(({ player_id }) => !shows.includes(player_id))!
      : null;
  });
  expect(found.player_id).toBe(darkId);

  const look = async (): Promise<number[]> => {
    const { result } = await agent.ok("send_command", { id: darkId, type: "screenshot", args: {} });
    await eventually(async () => {
      const { status, error } = await agent.ok("get_command", { id: darkId, command_id: result.id });
      if (["failed", "rejected", "expired", "cancelled"].includes(status))
        throw new Error(`the screenshot ${status}: ${JSON.stringify(error)}`);
      return status === "succeeded";
    });
    const { contents } = await agent.client.readResource({ uri: `signage://players/${darkId}/screen` });
    const [picture] = contents;
    expect(picture!.mimeType).toMatch(/^image\//);
    return middleOf((picture as { blob: string }).blob);
  };
  const before = await look();
  expect(isNear(before, red) || isNear(before, green)).toBe(false);

  // Publish: first a dry run, then the change, once under its idempotency key.
  const asset = await api.upload("green.png", await plainImage(green));
  const { result: playlist } = await agent.ok("create_playlist", {
    name: "Welcome",
    items: [{ type: "image", asset_id: asset, duration_ms: 60_000, fit: "fill" }],
    idempotency_key: "welcome-playlist",
  });
  const zones = [{ name: "main", left: 0, top: 0, width: 1920, height: 1080, playlist_id: playlist.id }];
  const { result: layout } = await agent.ok("create_layout", { name: "Welcome", width: 1920, height: 1080, zones });
  const change = { id: darkId, layout_id: layout.id };
  const dry = await agent.ok("update_player", { ...change, dry_run: true });
  expect(dry.concerned).toEqual({ count: 1, players: [{ id: darkId, name: "Hall" }] });
  expect((await agent.ok("get_player", { id: darkId })).layout_id).toBe(null);
  await agent.ok("update_player", change);
  await eventually(async () => (await agent.ok("get_player", { id: darkId })).in_sync === true);
  await dark.line(({ msg, asset_id }) => msg === "presented" && asset_id === asset);

  const after = await look();
  expect([after, isNear(after, green)]).toEqual([after, true]);

  // Temporarily something else, in three calls; the screenshot is taken once the player presents it.
  const redAsset = (await agent.ok("list_assets", { q: "red" })).data[0].id;
  const wish = { asset_id: redAsset, players: ["hall"], lasts_ms: 600_000, fit: "fill" };
  const { result: show } = await agent.ok("show", wish);
  const shot = await agent.call("take_screenshot", { player: "Hall", show_id: show.id });
  expect([shot.text, shot.body?.is_showing]).toEqual([shot.text, true]);
  const shown = await middleOf((shot.content.at(-1) as { data: string }).data);
  expect([shown, isNear(shown, red)]).toEqual([shown, true]);
  // Its plays are reported within a minute; that it is showing, and the screenshot, are proof immediately.
  const proof = await agent.ok("get_show_proof", { id: show.id });
  expect(proof.players).toMatchObject([{ name: "Hall", is_showing: true, screenshot_id: shot.body.screenshot_id }]);
  await agent.ok("delete_show", { id: show.id });
  await eventually(async () => isNear(await look(), green));
}, 240_000);
