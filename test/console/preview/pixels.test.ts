// The preview's pixels are those of the player's page at the same instant.
import { mkdir, writeFile } from "node:fs/promises";
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { heartbeat, type TestService } from "../../service/harness.ts";
import { startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { differingPixels, openPreview, pictureOfPlayer, pictureOfPreview, showEveryKind, type Size } from "./pictures.ts";

let browser: Browser;
let service: TestService;
beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService()]);
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});

// 500 ms after the beginning of every loop.
const at = Date.parse("2026-12-01T09:00:00.500Z");
const debugFolder = process.env["PREVIEW_SHOTS"];

async function keep(name: string, picture: Buffer): Promise<void> {
  if (debugFolder === undefined) return;
  await mkdir(debugFolder, { recursive: true });
  await writeFile(`${debugFolder}/${name}.png`, picture);
}

/** A screen of this size. */
async function pairScreen(name: string, resolution: Size): Promise<string> {
  const device = await service.pairDevice(name);
  const socket = await device.connect();
  socket.send({ type: "heartbeat", data: heartbeat({ resolution }) });
  await socket.next("heartbeat.answer");
  socket.socket.close();
  return device.playerId;
}

test("[PRV1] a preview shows pictures, drawings, videos, PDFs, texts, clocks and QR codes exactly as the screen does", async () => {
  const size = { width: 800, height: 400 };
  const playerId = await pairScreen("Lobby", size);
  const { layout, files } = await showEveryKind(service, size.width, size.height);
  await service.call("PATCH", `players/${playerId}`, { layout_id: layout.id, timezone: "Europe/Berlin" });
  await using window = await Window.open(browser);
  await openPreview(window, service, playerId, at);
  if (debugFolder !== undefined) {
    await window.page.locator("iframe").waitFor();
    await window.page.getByText("The picture is being prepared").waitFor({ state: "detached" });
    await keep("page", await window.page.screenshot({ fullPage: true }));
    console.log(window.errors, await window.page.locator("main").innerText());
  }
  const preview = await pictureOfPreview(window, size);
  await keep("preview", preview);
  const player = await pictureOfPlayer(browser, service, playerId, at, size, files);
  await keep("player", player);
  expect(await differingPixels(preview, player)).toBe(0);
  expect(window.errors).toEqual([]);
});
