// Actions on many screens: a dry run in words first, then a result for each screen.
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { capabilitiesOf } from "../../support/capabilities.ts";
import { heartbeat, type Device, type TestService } from "../../service/harness.ts";
import { createOtherTeam } from "../../service/people/people.ts";
import { phone, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";

let browser: Browser;
let service: TestService;
beforeAll(async () => {
  [browser, service] = await Promise.all([startBrowser(), startConsoleService()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

const pairAll = (...names: string[]): Promise<Device[]> => Promise.all(names.map((name) => service.pairDevice(name)));
const pathTo = (...ids: string[]): string => `/screens/bulk?ids=${ids.join(",")}`;
const read = async (id: string) => (await service.call("GET", `players/${id}`)).body;
const rowOf = (page: Page, name: string) =>
  page.getByRole("region", { name: "Result for each screen" }).getByRole("listitem").filter({ hasText: name });

test("[CBK1] tags are added and removed after a dry run that says what changes, with a result for each screen", async () => {
  const [one, two] = await pairAll("Lobby", "Hall");
  await service.call("PATCH", `players/${two!.playerId}`, { tags: ["bar"] });
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, pathTo(one!.playerId, two!.playerId));
  await page.getByRole("region", { name: "Selected screens" }).getByText("2 screens selected").waitFor();
  await page.getByRole("button", { name: "Tags" }).click();
  await page.getByText("Choose something first").waitFor();
  await page.getByLabel("Add tags").fill("bar,");
  const forecast = page.getByRole("region", { name: "What will happen" });
  await forecast.getByText("1 screen changes. 1 has it already.").waitFor();
  expect((await read(one!.playerId)).tags).toEqual([]);
  await page.getByRole("button", { name: "Change 1 screen" }).click();
  await page.getByText("2 screens done.").waitFor();
  await rowOf(page, "Lobby").getByText("Done").waitFor();
  expect((await read(one!.playerId)).tags).toEqual(["bar"]);
  expect(window.errors).toEqual([]);
});

test("[CBK2] of two screens the one that fails says why, the other one changes, and the failed one can be tried again", async () => {
  const [full, free] = await pairAll("Full of tags", "Free");
  const tags = Array.from({ length: 50 }, (_, index) => `t${index}`);
  await service.call("PATCH", `players/${full!.playerId}`, { tags });
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, pathTo(full!.playerId, free!.playerId));
  await page.getByRole("button", { name: "Tags" }).click();
  await page.getByLabel("Add tags").fill("late,");
  const forecast = page.getByRole("region", { name: "What will happen" });
  await forecast.getByText("1 screen changes.").waitFor();
  await forecast.getByText("would have more than 50 tags").waitFor();
  await page.getByRole("button", { name: "Change 1 screen" }).click();
  await page.getByText("1 done, 1 failed.").waitFor();
  await rowOf(page, "Full of tags").getByText("would have more than 50 tags").waitFor();
  expect((await read(free!.playerId)).tags).toEqual(["late"]);
  await service.call("PATCH", `players/${full!.playerId}`, { tags: tags.slice(1) });
  await page.getByRole("button", { name: "Retry the 1 failed" }).click();
  await page.getByText("2 screens done.").waitFor();
  expect((await read(full!.playerId)).tags).toContain("late");
});

test("[CBK3] a screen of another team in a link's selection is neither shown nor changed", async () => {
  const [own] = await pairAll("Own");
  const stranger = await createOtherTeam(service);
  const device = await service.newDevice();
  const foreign = (await stranger.call("POST", "players/pair", { code: device.grant.user_code, name: "Secret name" })).body;
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, pathTo(own!.playerId, foreign.id));
  await page.getByRole("main").getByText("A screen that is not in your team").waitFor();
  await page.getByRole("button", { name: "Maintenance" }).click();
  await page.getByRole("region", { name: "What will happen" }).getByText("there is no such screen").waitFor();
  await page.getByRole("button", { name: "Change 1 screen" }).click();
  await page.getByText("1 done, 1 failed.").waitFor();
  expect((await read(own!.playerId)).maintenance_until).not.toBe(null);
  expect((await stranger.call("GET", `players/${foreign.id}`)).body.maintenance_until).toBe(null);
  expect(await page.content()).not.toContain("Secret name");
});

test("[CBK4] a command is offered if the screens support it, and is done on each screen only when its player said so", async () => {
  const [able, unable] = await pairAll("Able", "Unable");
  const [link, other] = await Promise.all([able!.connect(), unable!.connect()]);
  link.send({ type: "heartbeat", data: heartbeat({ capabilities: capabilitiesOf(["identify", "reload"]) }) });
  other.send({ type: "heartbeat", data: heartbeat({ capabilities: capabilitiesOf(["identify"]) }) });
  await Promise.all([link.next("heartbeat.answer"), other.next("heartbeat.answer")]);
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, pathTo(able!.playerId, unable!.playerId));
  await page.getByRole("button", { name: "Command" }).click();
  const field = page.getByRole("combobox", { name: "Command" });
  // The choices are asked for by dry runs, and are complete when they say on how many screens they work.
  await field.click();
  await page.getByRole("option", { name: "Reload the content (on 1 of 2)" }).waitFor();
  expect(await page.getByRole("option", { name: "Restart the machine" }).count()).toBe(0);
  await page.getByRole("option", { name: "Reload the content" }).click();
  await page.getByRole("region", { name: "What will happen" }).getByText("does not support reload").waitFor();
  await page.getByRole("button", { name: "Send to 1 screen" }).click();
  await link.next("command");
  const [{ id: commandId }] = (await service.call("GET", `players/${able!.playerId}/commands`)).body.data;
  await rowOf(page, "Unable").getByText("Not able").waitFor();
  await rowOf(page, "Able").getByText("Sent").waitFor();
  expect(await rowOf(page, "Able").getByText("Done").count()).toBe(0);
  const report = (status: string) => able!.call("POST", `commands/${commandId}/status`, { status });
  await report("acknowledged");
  await report("running");
  await rowOf(page, "Able").getByText("Running").waitFor();
  await report("succeeded");
  await rowOf(page, "Able").getByText("Done").waitFor();
});

test("[CBK9] commands with values are sent to many screens with the form of a screen's page, by keyboard alone", async () => {
  const [dim, plain] = await pairAll("Dim", "Plain");
  const [link, other] = await Promise.all([dim!.connect(), plain!.connect()]);
  link.send({
    type: "heartbeat",
    data: heartbeat({ capabilities: capabilitiesOf(["display.brightness", "display.input"], { inputs: ["hdmi-1", "dp-2"] }) }),
  });
  other.send({
    type: "heartbeat",
    data: heartbeat({
      capabilities: { ...capabilitiesOf(["identify"]), unavailable: [{ type: "display.brightness", reason: "it has no backlight" }] },
    }),
  });
  await Promise.all([link.next("heartbeat.answer"), other.next("heartbeat.answer")]);
  await using window = await Window.open(browser);
  const { page } = window;
  const { keyboard } = page;
  await window.signIn(service, pathTo(dim!.playerId, plain!.playerId));
  await page.getByRole("button", { name: "Command" }).focus();
  await keyboard.press("Enter");
  const choose = async (words: string) => {
    await page.getByRole("combobox", { name: "Command" }).focus();
    await keyboard.press("Control+A");
    await keyboard.type(words);
    await page.getByRole("option", { name: `${words} (on 1 of 2)` }).waitFor();
    await keyboard.press("ArrowDown");
    await keyboard.press("Enter");
  };
  await choose("Choose the display’s input");
  await page.getByRole("button", { name: /Input/ }).focus();
  await keyboard.press("Enter");
  await page.getByRole("option", { name: "dp-2" }).waitFor();
  await keyboard.press("Escape");
  await choose("Set the brightness");
  await page.getByRole("slider").focus();
  await keyboard.press("ArrowRight");
  await keyboard.press("ArrowRight");
  await page.getByRole("region", { name: "What will happen" }).getByText("it has no backlight").waitFor();
  await page.getByRole("button", { name: "Send to 1 screen" }).focus();
  await keyboard.press("Enter");
  await link.next("command");
  const [sent] = (await service.call("GET", `players/${dim!.playerId}/commands`)).body.data;
  expect([sent.type, sent.args]).toEqual(["display.brightness", { percent: 52 }]);
  await rowOf(page, "Plain").getByText("Not able").waitFor();
  expect(window.errors).toEqual([]);
});

test("[CBK5] screens go to the bin by one request after a dry run that names their schedules, and undo brings them back by one", async () => {
  const [one, two] = await pairAll("Bin one", "Bin two");
  const layout = (await service.call("POST", "layouts", { name: "For the bin", width: 1920, height: 1080 })).body;
  const target = { type: "player", player_id: one!.playerId };
  await service.call("POST", "schedules", { name: "Evening", layout_id: layout.id, target, starts_at: "2026-11-01T00:00" });
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, pathTo(one!.playerId, two!.playerId));
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("They go to the bin for 30 days").waitFor();
  await page.getByText("2 screens go to the bin.").waitFor();
  await page.getByText("1 schedule is only for them and goes too.").waitFor();
  const requests: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET") requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  expect((await read(one!.playerId)).deleted_at).toBe(null);
  await page.getByRole("button", { name: "Delete 2 screens" }).click();
  await page.getByText("2 screens are in the bin").waitFor();
  await page.getByText("No screens selected").waitFor();
  expect((await service.call("GET", `players/${one!.playerId}`)).status).toBe(404);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("2 screens are back").waitFor();
  expect((await read(two!.playerId)).deleted_at).toBe(null);
  await page.getByText("2 screens selected").waitFor();
  expect(requests).toEqual(["POST /api/v1/players/bulk/delete", "POST /api/v1/players/bulk/restore"]);
});

test("[CBK6] layout and display hours are set by keyboard alone", async () => {
  const [one, two] = await pairAll("Key one", "Key two");
  const { layout } = await service.createLayout();
  await using window = await Window.open(browser);
  const { page } = window;
  const { keyboard } = page;
  await window.signIn(service, pathTo(one!.playerId, two!.playerId));
  await page.getByRole("button", { name: "Layout" }).focus();
  await keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  await page.getByRole("combobox", { name: "Layout" }).focus();
  await keyboard.type("L");
  await page.getByRole("option", { name: "L", exact: true }).waitFor();
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await page.getByText("2 screens change.").waitFor();
  await page.getByRole("button", { name: "Change 2 screens" }).focus();
  await keyboard.press("Enter");
  await page.getByText("2 screens done.").waitFor();
  expect((await read(one!.playerId)).layout_id).toBe(layout.id);
  await keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // The arrows move through the bar.
  await page.getByRole("button", { name: "Layout" }).focus();
  await keyboard.press("ArrowRight");
  await keyboard.press("ArrowRight");
  await keyboard.press("Enter");
  await page.getByLabel("Until").fill("18:30");
  await page.getByText("2 screens change.").waitFor();
  await page.getByRole("button", { name: "Change 2 screens" }).focus();
  await keyboard.press("Enter");
  await page.getByText("2 screens done.").waitFor();
  expect((await read(two!.playerId)).display_hours.open).toMatchObject([{ from: "08:00", until: "18:30" }]);
  expect(window.errors).toEqual([]);
});

test("[CBK7] on a phone the bar is within the page, and a screen can be taken out of the selection", async () => {
  const [one, two] = await pairAll("x".repeat(200), "Small");
  await using window = await Window.open(browser, phone);
  const { page } = window;
  await window.signIn(service, pathTo(one!.playerId, two!.playerId));
  await page.getByRole("checkbox", { name: "Take Small out of the selection" }).waitFor();
  await page.getByText("Small", { exact: true }).tap();
  await page.getByText("1 screen selected").waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  const boxes = await page
    .getByRole("toolbar")
    .getByRole("button")
    .evaluateAll((buttons) => buttons.map((each) => each.getBoundingClientRect().height));
  expect(Math.min(...boxes)).toBeGreaterThanOrEqual(40);
  await page.getByRole("button", { name: "Clear the selection" }).tap();
  await page.getByText("No screens selected").waitFor();
  expect(window.errors).toEqual([]);
});

test("[CIN5] a command in waves stops when too many fail, with the reason; it goes on when a person says so, and ends when they stop it", async () => {
  const devices = await pairAll(...Array.from({ length: 10 }, (_, place) => `Wave ${place}`));
  await using window = await Window.open(browser);
  const { page } = window;
  await window.signIn(service, pathTo(...devices.map(({ playerId }) => playerId)));
  await page.getByRole("button", { name: "Command" }).click();
  await page.getByRole("combobox", { name: "Command" }).click();
  await page.getByRole("option", { name: "Restart the screen’s program" }).click();
  // It restarts what it reaches: waves are the default.
  expect(await page.getByRole("checkbox", { name: "A tenth at a time; stop if more than 10 % of them fail" }).isChecked()).toBe(true);
  await page.getByRole("button", { name: "Send to 10 screens" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("10 not ended yet.").waitFor();
  /** The device of the wave that has begun fails. */
  const failWave = async (): Promise<string> => {
    const [{ id, player_id }] = (await service.call("GET", "commands?status=queued")).body.data;
    const device = devices.find(({ playerId }) => playerId === player_id)!;
    await device.call("POST", `commands/${id}/status`, { status: "failed", error: { code: "x", detail: "no power" } });
    return player_id;
  };
  const first = await failWave();
  await dialog
    .getByRole("alert")
    .getByText(/^Stopped after a wave: .* wave 1 failed/)
    .waitFor();
  await rowOf(page, "no power").getByText("Failed").waitFor();
  // Nobody else gets it before a person has decided.
  expect((await service.call("GET", "commands?status=queued")).body.data).toEqual([]);
  await dialog.getByRole("button", { name: "Go on" }).click();
  await dialog.getByRole("alert").waitFor({ state: "detached" });
  await expect.poll(async () => (await service.call("GET", "commands?status=queued")).body.data.length).toBe(1);
  expect(await failWave()).not.toBe(first);
  await dialog
    .getByRole("alert")
    .getByText(/wave 2 failed/)
    .waitFor();
  await dialog.getByRole("button", { name: "Stop", exact: true }).click();
  await dialog.getByText("0 done, 10 failed.").waitFor();
  await rowOf(page, "Stopped before its turn.").first().waitFor();
  await dialog.getByRole("button", { name: "Go on" }).waitFor({ state: "detached" });
  expect((await service.call("GET", "command-batches")).body.data).toMatchObject([
    { state: "cancelled", progress: { waiting: 8, failed: 2 } },
  ]);
  expect(window.errors).toEqual([]);
});
