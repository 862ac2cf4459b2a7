// Makes the README's pictures from the real thing: a screen that plays the demo, and the console's wall of screens.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright";
import sharp from "sharp";
import { z } from "zod";
import { createSystemClock } from "../src/base/clock.ts";
import { ChildProgram } from "../src/main/child.ts";
import { rootFolder } from "../src/main/folders.ts";
import { ServiceClient } from "../src/main/service-client.ts";
import { temporaryFolder } from "../test/support/folder.ts";

const pictures = join(rootFolder, "docs/pictures");
const width = 960;
const quality = 82;
/** The screens beside the demo's, with what each shows. */
const screens = [
  { name: "Bakery window", media: "loaf.jpg" },
  { name: "Counter", media: "cup.jpg" },
  { name: "Terrace", media: "evening.jpg" },
];
// Starting four browsers takes a minute on two cores.
const signal = AbortSignal.timeout(300_000);
const clock = createSystemClock();
const cli = join(rootFolder, "src/main/cli.ts");
const Ready = z.object({ console: z.string(), sign_in_link: z.string(), token_file: z.string(), player_id: z.string() });

await using folder = await temporaryFolder();
await using demo = new ChildProgram(process.execPath, [
  cli,
  "demo",
  "--headless",
  "--engine",
  "chromium",
  "--port",
  "0",
  "--data",
  folder.path,
]);
const ready = Ready.parse(await demo.waitForLine("ready", signal));
const client = await ServiceClient.open(ready.console, ready.token_file);

await using players = new AsyncDisposableStack();
const ids: string[] = [];
for (const { name, media } of screens) {
  const data = join(folder.path, name);
  const argv = [cli, "start", "--headless", "--engine", "chromium", "--server", ready.console, "--data", data];
  const player = players.use(new ChildProgram(process.execPath, argv));
  const { code } = z.object({ code: z.string() }).parse(await player.waitForLine("pairing code", signal));
  const { id } = await client.pair(code, name);
  const asset = await client.upload(media, await readFile(join(rootFolder, "demo/media", media)));
  const presented = player.waitForLine("presented", signal);
  await client.show({ asset_id: asset.id, players: [id], until: null });
  await presented;
  ids.push(id);
}
await mkdir(pictures, { recursive: true });
const authorization = `Bearer ${(await readFile(ready.token_file, "utf8")).trim()}`;
for (const id of [...ids, ready.player_id]) {
  const url = await client.screenshot(id, clock, signal);
  if (id !== ready.player_id) continue;
  const picture = await fetch(url, { headers: { authorization } });
  await write("screen", Buffer.from(await picture.arrayBuffer()));
}

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: "light", reducedMotion: "reduce" });
await page.goto(ready.sign_in_link);
// The owner's first visit asks for a password first.
await page.getByRole("button", { name: "Skip" }).click();
for (const { name } of screens) await page.getByRole("article", { name }).locator("img").waitFor();
// No field or button looks focused.
await page.mouse.move(0, 0);
await page.evaluate("document.activeElement?.blur(); document.fonts.ready.then(() => undefined)");
await write("screens", await page.screenshot());
await browser.close();

/** Stores a picture small enough for a page that shows two. */
async function write(name: string, picture: Buffer): Promise<void> {
  await writeFile(join(pictures, `${name}.webp`), await sharp(picture).resize({ width }).webp({ quality }).toBuffer());
}
