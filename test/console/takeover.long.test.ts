// A takeover from the console to a real screen and back.
import { join } from "node:path";
import sharp from "sharp";
import { expect, test } from "vitest";
import { Actions } from "../support/console/actions.ts";
import { startBrowser, startConsoleService, Window } from "../support/console/console.ts";
import { temporaryFolder } from "../support/folder.ts";
import { plainImage } from "../support/media/media.ts";
import { eventually } from "../support/polling.ts";
import { startPlayer } from "../support/programs/programs.ts";

const green = [20, 160, 60] as const;
// White on blue, the colours that a takeover begins with.
const blue = [0x14, 0x39, 0x7d] as const;

test("[CSH11] on a real screen a takeover of a tag shows its message and the page tells so; after its end the earlier content is back", async () => {
  await using service = await startConsoleService();
  await using folder = await temporaryFolder();
  await using browser = await startBrowser();
  await using player = startPlayer(service.service.url, join(folder.path, "player"));
  const { code } = await player.line("pairing code");
  const { id } = (await service.call("POST", "players/pair", { code: String(code), name: "Lobby" })).body;
  const asset = (await service.upload(await plainImage([...green]), "image/png", "Green.png")).body;
  const { layout } = await service.createLayout([{ type: "image", asset_id: asset.id, duration_ms: 60_000, fit: "fill" }]);
  await service.call("PATCH", `players/${id}`, { layout_id: layout.id, tags: ["ground floor"] });
  /** The colour at the middle of the upper edge, above the message. */
  const colour = async (): Promise<number[]> => {
    const command = (await service.call("POST", `players/${id}/commands`, { type: "screenshot", args: { format: "png" } })).body;
    const ended = await eventually(async () => {
      const { body } = await service.call("GET", `players/${id}/commands/${command.id}`);
      return ["succeeded", "failed", "rejected", "expired"].includes(body.status) ? body : null;
    });
    if (ended.status !== "succeeded") return [];
    const { body: image } = await service.call("GET", `screenshots/${ended.result.screenshot_id}/image`);
    const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const at = (4 * info.width + info.width / 2) * info.channels;
    return [...data.subarray(at, at + 3)];
  };
  const shows = async (wanted: readonly number[]): Promise<boolean> => {
    const seen = await colour();
    return seen.length === 3 && seen.every((value, channel) => Math.abs(value - wanted[channel]!) <= 6);
  };
  await eventually(() => shows(green));

  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service);
  const actions = new Actions();
  await actions.do("open the page", page.getByRole("link", { name: "Take over" }).click());
  await actions.do("write", page.getByLabel("Message", { exact: true }).fill("We close at four"));
  const tag = page.getByRole("group", { name: "Suggestions" }).getByRole("button", { name: "ground floor" });
  await actions.do("choose the tag", tag.click());
  await actions.do("take over", page.getByRole("button", { name: "Take over 1 screen" }).click());
  expect(actions.count).toBeLessThanOrEqual(4);
  await page.getByText("The screen shows it").waitFor();
  await eventually(() => shows(blue));

  await page.getByRole("button", { name: "End it" }).click();
  await page.getByText("No screen is taken over").waitFor();
  await eventually(() => shows(green));
  expect(window.errors).toEqual([]);
}, 180_000);
