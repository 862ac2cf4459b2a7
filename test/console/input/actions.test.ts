// How many actions a person needs to put a picture onto a screen that plays: from the computer, and from the library.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Actions } from "../../support/console/actions.ts";
import { SharedConsole } from "../../support/console/shared.ts";
import { dropFiles } from "../../support/console/dropping.ts";
import { plainImage } from "../../support/media/media.ts";
import { heartbeat, type TestService } from "../../service/harness.ts";

let shared: SharedConsole;
let service: TestService;
beforeAll(async () => {
  shared = await SharedConsole.start();
  service = shared.service;
});
afterAll(() => shared[Symbol.asyncDispose]());

/** A screen that plays a picture, beside another one. */
async function playingScreen(name: string) {
  const device = await service.pairDevice(name);
  await service.pairDevice(`Beside ${name}`);
  await service.showPicture(device);
  await device.call("POST", "heartbeat", heartbeat());
  return device;
}

test("[CIN2] a file that is dropped onto the card of a screen is on that screen after two actions, and on no other", async () => {
  const lobby = await playingScreen("Lobby");
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service);
  const actions = new Actions();
  const file = { name: "Dropped.png", bytes: await plainImage([1, 120, 3]) };
  const card = page.getByRole("article", { name: "Lobby", exact: true });
  const says = () => page.getByText("Show on Lobby", { exact: true }).waitFor();
  await actions.do("drop the file onto the card", dropFiles(page, card, [file], says));
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Dropped.png").waitFor();
  await actions.do("show it there", dialog.getByRole("button", { name: "Show on 1 screen" }).click());
  await page.getByRole("dialog", { name: "“Dropped.png” is on its way" }).waitFor();
  expect(actions.done).toHaveLength(2);
  const [show] = (await service.call("GET", "show?ended=false")).body.data;
  expect(show).toMatchObject({ name: "Dropped.png", player_count: 1 });
  expect(JSON.stringify((await lobby.call("GET", "state")).body)).toContain(show.asset_id);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(window.errors).toEqual([]);
});

test("[CIN2] from the library a picture is on a playing screen after three actions", async () => {
  const bar = await playingScreen("Bar");
  const { id } = (await service.upload(await plainImage([90, 1, 90]), "image/png", "Cocktails")).body;
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/library");
  const actions = new Actions();
  const row = page.getByRole("row", { name: "Cocktails" });
  await row.hover();
  await actions.do("press Show on the file", row.getByRole("button", { name: "Show Cocktails on screens" }).click());
  // Only the button was meant, not the file's details.
  expect(new URL(page.url()).searchParams.get("asset")).toBe(null);
  await actions.do("choose the screen", page.getByRole("option", { name: "Bar", exact: true }).click());
  await actions.do("show it there", page.getByRole("button", { name: "Show on 1 screen" }).click());
  await page.getByRole("dialog", { name: "“Cocktails” is on its way" }).waitFor();
  expect(actions.done).toHaveLength(3);
  expect(JSON.stringify((await bar.call("GET", "state")).body)).toContain(id);
  expect(window.errors).toEqual([]);
});
