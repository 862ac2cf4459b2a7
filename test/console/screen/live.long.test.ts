// The live view of a screen with a real player.
import { join } from "node:path";
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { plainImage } from "../../support/media/media.ts";
import { eventually } from "../../support/polling.ts";
import { Api, startPlayer } from "../../support/programs/programs.ts";

/** What the test reads of a canvas. */
interface Canvas {
  width: number;
  height: number;
  getContext: (kind: "2d") => { getImageData: (...area: number[]) => { data: Uint8ClampedArray } };
}

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const patience = { timeout: 180_000 };

test(
  "[CSC11] a real screen is watched live, and the view ends with its reason, when the person leaves, and when the player goes",
  patience,
  async () => {
    await using folder = await temporaryFolder();
    await using service = await startConsoleService();
    const api = new Api(service.service.url, service.token);
    await using player = startPlayer(api.url, join(folder.path, "player"));
    const asset = await api.upload("green.png", await plainImage([20, 160, 60]));
    const { layoutId } = await api.publish([{ type: "image", asset_id: asset, duration_ms: 60_000, fit: "fill" }]);
    const playerId = await api.pair(player, layoutId);
    await player.line("presented");
    await using window = await Window.open(browser);
    await window.signIn(service, `/screens/${playerId}`);
    const { page } = window;
    const pixel = () =>
      page.getByRole("img", { name: "Live picture of “Lobby”" }).evaluate((element) => {
        const canvas = element as unknown as Canvas;
        return [...canvas.getContext("2d").getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data].slice(0, 3);
      });
    const viewers = async () => /signage_live_viewers (\d+)/.exec(await (await fetch(`${api.url}/metrics`)).text())?.[1];
    await page.getByRole("button", { name: "Watch live" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    await eventually(async () => (await pixel()).every((value, channel) => Math.abs(value - [20, 160, 60][channel]!) <= 12));
    expect(await viewers()).toBe("1");
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("The live view has ended: you stopped it").waitFor();
    await eventually(async () => (await viewers()) === "0");

    await page.getByRole("button", { name: "Take a picture" }).click();
    await page.getByRole("img", { name: /^Picture of “Lobby”/ }).waitFor();

    await page.getByRole("button", { name: "Watch again" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByRole("tab", { name: "Log" }).click();
    await eventually(async () => (await viewers()) === "0");

    await page.getByRole("tab", { name: "Overview" }).click();
    await page.getByRole("button", { name: "Watch live" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    await player.stop("SIGTERM");
    // A player that could not say so in its last moments has sent no picture for 30 s.
    await page.getByText(/The live view has ended: The screen/).waitFor({ timeout: 60_000 });
    expect(window.errors).toEqual([]);
  },
);
