// The eight tasks of a person who has only a keyboard: from the first page to what the service or the device says. No element is clicked
// or focused by the test. At each stop the focus must be seen, and it is never lost.
import type { Browser } from "playwright";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createProblem } from "../../../src/protocol/device/player-problems.ts";
import { startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { KeyboardPerson } from "../../support/console/keyboard.ts";
import { plainImage } from "../../support/media/media.ts";
import { eventually } from "../../support/polling.ts";
import { heartbeat, type Device, type TestService } from "../../service/harness.ts";

// Each key is looked at, on a machine that runs other tests beside them.
vi.setConfig({ testTimeout: 120_000 });

let browser: Browser;
let service: TestService;
let window: Window;
let person: KeyboardPerson;
let lobby: Device;

beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService()]);
  lobby = await service.pairDevice("Lobby");
  const hall = await service.pairDevice("Hall");
  await service.call("PATCH", `players/${lobby.playerId}`, { tags: ["ground floor"] });
  await lobby.call("POST", "heartbeat", heartbeat());
  await hall.call("POST", "heartbeat", heartbeat({ problems: [createProblem("disk-unwritable", Date.now())] }));
  window = await Window.open(browser);
  await window.signIn(service);
});
afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
});
beforeEach(async () => {
  person = new KeyboardPerson(window.page);
  await window.page.goto(service.service.url);
  await window.page.getByRole("article", { name: "Lobby", exact: true }).waitFor();
  return () => {
    expect(person.faults).toEqual([]);
    expect(window.errors.splice(0)).toEqual([]);
  };
});

const read = async (path: string) => (await service.call("GET", path)).body;

test("[CIN1] by keyboard alone: see what is wrong, and go to that screen", async () => {
  const { page } = window;
  await person.to(page.getByRole("button", { name: "Wrong 1", exact: true }));
  await person.press("Enter");
  await page.getByText("1 of 2 screens").first().waitFor();
  expect(new URL(page.url()).searchParams.get("state")).toContain("wrong");
  await person.to(page.getByRole("link", { name: "Hall", exact: true }));
  await person.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Hall" }).waitFor();
  await page.getByText("cannot read or write its disk").first().waitFor();
  await person.isSomewhere();
});

test("[CIN1] by keyboard alone: pair a screen with a tag and its first picture", async () => {
  const { page } = window;
  const device = await service.newDevice();
  await person.to(page.getByRole("link", { name: "Add a screen" }));
  await person.press("Enter");
  await page.getByLabel("Code on the screen").waitFor();
  await person.to(page.getByLabel("Code on the screen"));
  // The last letter of the code leads on to the name.
  await person.type(device.grant.user_code);
  await person.type("Counter");
  await person.to(page.getByRole("button", { name: "Choose a file" }));
  const chooser = page.waitForEvent("filechooser");
  await person.press("Enter");
  await (await chooser).setFiles({ name: "menu.png", mimeType: "image/png", buffer: await plainImage([3, 90, 3]) });
  await page.getByText("menu.png is in your library").waitFor();
  await person.to(page.getByRole("textbox", { name: "Tags" }));
  await person.type("bar");
  await person.press("Enter");
  await person.to(page.getByRole("button", { name: "Add screen" }));
  await person.press("Enter");
  await page.getByRole("heading", { name: "Counter is yours" }).waitFor();
  await page.getByText("Its settings are saved").waitFor();
  await person.isSomewhere();
  const [player] = (await read("players?q=Counter")).data;
  expect(player).toMatchObject({ tags: ["bar"] });
  expect(player.layout_id).not.toBe(null);
  await device.firstToken();
});

test("[CIN1] by keyboard alone: upload a file, name it, delete it and take that back", async () => {
  const { page } = window;
  await person.go("g", "l");
  await person.to(page.getByRole("button", { name: "Upload files" }).first());
  const chooser = page.waitForEvent("filechooser");
  await person.press("Enter");
  await (await chooser).setFiles([{ name: "Typed.png", mimeType: "image/png", buffer: await plainImage([7, 7, 7]) }]);
  await person.to(page.getByRole("row", { name: "Typed.png" }));
  await person.press("Enter");
  await person.to(page.getByRole("dialog").getByRole("textbox", { name: "Name" }));
  await person.press("ControlOrMeta+a");
  await person.type("Menu of the day");
  await person.press("Tab", "Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await person.isSomewhere();
  const row = page.getByRole("row", { name: "Menu of the day" });
  await row.waitFor();
  await person.to(row);
  await person.press("Space");
  await person.to(page.getByRole("button", { name: "Delete", exact: true }));
  await person.press("Enter");
  await row.waitFor({ state: "detached" });
  // What had the focus is gone.
  await person.isSomewhere();
  await person.to(page.getByRole("button", { name: "Undo" }));
  await person.press("Enter");
  await row.waitFor();
  await person.isSomewhere();
  expect((await read("assets?q=Menu%20of")).data).toMatchObject([{ name: "Menu of the day", deleted_at: null }]);
});

test("[CIN1] by keyboard alone: show a file of the library on a screen, and stop it", async () => {
  const { page } = window;
  const asset = (await service.upload(await plainImage([9, 9, 90]), "image/png", "Poster")).body;
  await person.find("library", "Library");
  await person.to(page.getByRole("row", { name: "Poster" }));
  // The button is within the row.
  await person.to(page.getByRole("button", { name: "Show Poster on screens" }));
  await person.press("Enter");
  await page.getByRole("combobox", { name: "Screens or tags" }).and(page.locator(":focus")).waitFor();
  await person.type("lob");
  await page.getByRole("option", { name: "All screens" }).waitFor({ state: "detached" });
  await page.getByRole("option", { name: "Lobby" }).waitFor();
  await person.press("ArrowDown", "Enter");
  await person.to(page.getByRole("button", { name: "Show on 1 screen" }));
  await person.press("Enter");
  await page.getByRole("dialog", { name: "“Poster” is on its way" }).waitFor();
  await person.isSomewhere();
  expect(JSON.stringify((await lobby.call("GET", "state")).body)).toContain(asset.id);
  await person.to(page.getByRole("button", { name: "Stop it" }));
  await person.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await person.isSomewhere();
  expect((await read("show?ended=false")).data).toEqual([]);
});

test("[CIN1] by keyboard alone: take over a tag with a message, and end it", async () => {
  const { page } = window;
  await person.go("g", "t");
  await person.to(page.getByRole("textbox", { name: "Message" }));
  await person.type("We close at four");
  await person.to(page.getByRole("group", { name: "Suggestions" }).getByRole("button", { name: "ground floor" }));
  await person.press("Enter");
  // The suggestions are gone.
  await person.isSomewhere();
  await person.to(page.getByRole("button", { name: "Take over 1 screen" }));
  await person.press("Enter");
  await page.getByRole("heading", { name: "Taken over: “We close at four”" }).waitFor();
  await person.isSomewhere();
  const isTaken = async () => JSON.stringify((await lobby.call("GET", "state")).body).includes("We close at four");
  expect(await isTaken()).toBe(true);
  await person.to(page.getByRole("button", { name: "End it" }), "Shift+Tab");
  await person.press("Enter");
  await page.getByText("No screen is taken over").waitFor();
  await person.isSomewhere();
  expect(await isTaken()).toBe(false);
});

test("[CIN1] by keyboard alone: find a screen by its name, and let it show where it is", async () => {
  const { page } = window;
  const socket = await lobby.connect();
  await person.find("lobby", "Lobby");
  await page.getByRole("heading", { level: 1, name: "Lobby" }).waitFor();
  await person.isSomewhere();
  await person.to(page.getByRole("button", { name: "Identify" }));
  await person.press("Enter");
  await socket.next("command");
  const [{ id, type }] = (await read(`players/${lobby.playerId}/commands`)).data;
  expect(type).toBe("identify");
  await lobby.call("POST", `commands/${id}/status`, { status: "succeeded" });
  await page.getByText("“Lobby” shows its name").waitFor();
  await person.to(page.getByRole("tab", { selected: true }));
  // The arrow keys lead through the parts of the page.
  await person.press("End");
  await person.to(page.getByLabel("Name", { exact: true }).first());
  await person.press("ControlOrMeta+a");
  await person.type("Lobby left");
  await person.to(page.getByRole("button", { name: "Save" }));
  await person.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Lobby left" }).waitFor();
  await person.isSomewhere();
  expect((await read(`players/${lobby.playerId}`)).name).toBe("Lobby left");
  await service.call("PATCH", `players/${lobby.playerId}`, { name: "Lobby" });
  socket.socket.close();
});

test("[CIN1] by keyboard alone: select two screens, and give both a tag", async () => {
  const { page } = window;
  const cards = page.getByRole("region", { name: "Screens" }).or(page.locator(".wall"));
  await person.to(cards.getByRole("link", { name: "Hall", exact: true }));
  await person.press("Space", "End", "Space");
  await person.to(page.getByRole("toolbar").getByRole("button", { name: "Tags" }));
  await person.press("Enter");
  await page.getByRole("textbox", { name: "Add tags" }).and(page.locator(":focus")).waitFor();
  await person.type("evening");
  await person.press("Enter");
  await page.getByRole("button", { name: "Change 2 screens" }).waitFor();
  await person.to(page.getByRole("button", { name: "Change 2 screens" }));
  await person.press("Enter");
  await page.getByText("2 screens done.").waitFor();
  await person.isSomewhere();
  await person.to(page.getByRole("dialog").getByRole("button", { name: "Close" }).last());
  await person.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await person.isSomewhere();
  expect((await read("players?tag=evening")).data).toHaveLength(2);
  await person.to(page.getByRole("button", { name: "Clear the selection" }));
  await person.press("Enter");
  await page.getByRole("toolbar").waitFor({ state: "detached" });
  await person.isSomewhere();
});

test("[CIN1] by keyboard alone: give a program a token, and revoke it", async () => {
  const { page } = window;
  await person.find("tokens", "Access tokens");
  await person.to(page.getByRole("button", { name: "Create a token" }).first());
  await person.press("Enter");
  await page.getByRole("dialog").getByLabel("Name").and(page.locator(":focus")).waitFor();
  await person.type("Till");
  await person.press("Enter");
  const shown = page.getByRole("alertdialog", { name: "Till is ready" });
  await shown.waitFor();
  await person.isSomewhere();
  await person.to(shown.getByRole("button", { name: "Done" }));
  await person.press("Enter");
  await shown.waitFor({ state: "detached" });
  await person.isSomewhere();
  const tokens = async () => (await read("tokens")).data.filter(({ name }: { name: string }) => name === "Till").length;
  expect(await tokens()).toBe(1);
  const row = page.getByRole("row", { name: /Till/ });
  await person.to(row.getByRole("button", { name: "More for Till" }));
  await person.press("Enter");
  await page.getByRole("menuitem", { name: "Rename" }).and(page.locator(":focus")).waitFor();
  await person.press("End", "Enter");
  await person.to(page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }));
  await person.press("Enter");
  await row.waitFor({ state: "detached" });
  // The row had the button that opened the menu.
  await person.isSomewhere();
  await eventually(async () => (await tokens()) === 0);
});
