// From a fresh service to one's own picture on a real screen, with every action of the person counted.
import { join } from "node:path";
import sharp from "sharp";
import { expect, test } from "vitest";
import { Actions } from "../../support/console/actions.ts";
import { startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { plainImage } from "../../support/media/media.ts";
import { Api, startPlayer } from "../../support/programs/programs.ts";

const red = [220, 30, 40] as const;

test("[CPR7] from a fresh service to one's own picture on a screen takes at most eight actions, typing nothing but code and name", async () => {
  await using folder = await temporaryFolder();
  await using service = await startConsoleService();
  await using player = startPlayer(service.service.url, join(folder.path, "player"));
  await using browser = await startBrowser();
  await using window = await Window.open(browser);
  const { page } = window;
  const { body } = await service.call("POST", "sign-in-links", {});
  const { code } = await player.line("pairing code");

  const actions = new Actions();
  // The link that the service prints.
  await actions.do("open the link", page.goto(body.url));
  await actions.do("skip the password", page.getByRole("button", { name: "Skip" }).click());
  await actions.do("add a screen", page.getByRole("link", { name: "Add a screen" }).click());
  await page.getByLabel("Code on the screen").waitFor();
  await actions.do("type the code", page.keyboard.type(String(code)));
  await actions.do("type the name", page.keyboard.type("Counter"));
  const chooser = page.waitForEvent("filechooser");
  await actions.do("choose a file", page.getByRole("button", { name: "Choose a file" }).click());
  await actions.do(
    "answer with the file",
    (await chooser).setFiles({ name: "menu.png", mimeType: "image/png", buffer: await plainImage(red) }),
  );
  await actions.do("add the screen", page.getByRole("button", { name: "Add screen" }).click());
  expect(actions.count, actions.done.join("; ")).toBeLessThanOrEqual(8);

  await page.getByText("It is online.").waitFor();
  await page.getByText("It shows its first content").waitFor();
  expect(window.errors).toEqual([]);
  const api = new Api(service.service.url, service.token);
  const playerId = new URL(page.url()).searchParams.get("added")!;
  const { status, result } = await api.command(playerId, "screenshot", { format: "png" });
  expect(status).toBe("succeeded");
  const image = await api.call("GET", `screenshots/${(result as { screenshot_id: string }).screenshot_id}/image`);
  const { data, info } = await sharp(Buffer.from(await image.arrayBuffer()))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const middle = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * info.channels;
  for (const [channel, value] of red.entries()) expect(Math.abs(data[middle + channel]! - value)).toBeLessThanOrEqual(12);
});
