// The wall of screens, as a person uses it.
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProblem } from "../../src/protocol/device/player-problems.ts";
import { FakeClock } from "../support/clock.ts";
import { desktop, phone } from "../support/console/console.ts";
import { SharedConsole } from "../support/console/shared.ts";
import { playing, startWalls, type StoredScreen } from "../support/console/wall.ts";
import { heartbeat, picture, type Device, type TestService } from "../service/harness.ts";

const cities = ["Berlin", "Hamburg", "Leipzig"];
/** Screens that play, each with the tag of its city. */
const fleet = (count: number): StoredScreen[] =>
  Array.from({ length: count }, (_, place) => ({
    name: `Screen ${place + 1}`,
    tags: [cities[place % 3]!],
    says: playing(null, place % 2 === 0 ? "Breakfast" : "Lunch"),
  }));
const dark = { ...playing(null), rendering: false, problems: [createProblem("not-rendering", Date.now() - 60_000)] };

const fewScreens = fleet(60);
fewScreens[3] = { name: "Platform 9", tags: ["Berlin", "Hall"], says: dark };
fewScreens[4] = { name: "Platform 10", tags: ["Hall"], says: playing(null), silentMs: 7_200_000 };
const oneDark = fleet(1_200).with(1_100, { name: "Platform 9", tags: ["Berlin"], says: dark });
const longNames = fleet(30);
longNames[1] = { name: "W".repeat(200), tags: ["x".repeat(200), "🦊", "عربي", "<b>"], says: { ...dark } };
longNames[2] = { name: "<img src=x onerror=alert(1)>", tags: ["RTL"], says: playing(null, "L".repeat(190)) };

let shared: SharedConsole;
let walls: Awaited<ReturnType<typeof startWalls>>["walls"];
const clock = new FakeClock(Date.now());
beforeAll(async () => {
  const started = startWalls([fleet(300), oneDark, fewScreens, longNames], { clock });
  shared = await SharedConsole.around(started.then(({ service }) => service));
  walls = (await started).walls;
});
afterAll(() => shared[Symbol.asyncDispose]());

const card = (page: Page, name: string) => page.getByRole("article", { name, exact: true });

test("[CWL4] the one dark screen among many is in view without any action, with its cause and what to do", async () => {
  const wall = walls[1]!;
  const window = await shared.window();
  const { page } = window;
  await window.signIn(wall.service);
  await page.getByText("1,200 screens", { exact: true }).first().waitFor();
  const wrong = card(page, "Platform 9");
  await expect.poll(() => wrong.evaluate((element) => element.getBoundingClientRect().bottom)).toBeLessThan(desktop.viewport!.height);
  await wrong.getByText("No frame is presented on the screen.").waitFor();
  await wrong.getByText("Send the command restart", { exact: false }).waitFor();
  await page.getByRole("button", { name: "Wrong 1", exact: true }).waitFor();
  await page.getByRole("button", { name: "Playing 1,199", exact: true }).waitFor();
  // Only what is in view is drawn.
  expect(await page.getByRole("article").count()).toBeLessThan(80);
  expect(window.errors).toEqual([]);
});

test("[CWL5] filters live in the address: they survive a reload, and what nobody understands in an address is left out", async () => {
  const wall = walls[2]!;
  const window = await shared.window();
  const { page } = window;
  await window.signIn(wall.service);
  await page.getByRole("button", { name: "Wrong 1" }).click();
  await page.getByRole("button", { name: "Offline 1" }).click();
  await page.getByText("2 of 60 screens").first().waitFor();
  await page.getByRole("searchbox", { name: "Search screens" }).fill("platform 10");
  await page.getByText("1 of 60 screens").first().waitFor();
  await page.getByRole("radio", { name: "List" }).click();
  await page.reload();
  await page.getByText("1 of 60 screens").first().waitFor();
  await card(page, "Platform 10").getByText("Last heard from 2 hr. ago.").waitFor();
  expect(await page.getByRole("article").count()).toBe(1);
  expect(await page.getByRole("searchbox").inputValue()).toBe("platform 10");
  await page.getByRole("searchbox").fill("nowhere");
  await page.getByRole("button", { name: "Show all screens" }).click();
  await page.getByText("60 screens", { exact: true }).first().waitFor();

  // Grouped by tag, a screen is under each of its tags.
  await page.getByRole("button", { name: /Group$/ }).click();
  await page.getByRole("option", { name: "By tag" }).click();
  await page.getByRole("heading", { name: "Berlin", exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get("group")).toBe("tag");
  await page.getByRole("searchbox").fill("hall");
  await page.getByRole("heading", { name: "Hall", exact: true }).waitFor();
  expect(await card(page, "Platform 9").count()).toBe(2);

  await page.goto(`${wall.service.service.url}/?state=${encodeURIComponent('["bogus",7]')}&group=%3Cimg%3E&view=8&sort=1`);
  await page.getByText("60 screens", { exact: true }).first().waitFor();
  expect(window.errors).toEqual([]);
});

/** A team with two screens that play. */
async function twoScreens(): Promise<{
  service: TestService;
  counter: Device;
  hall: Device;
  beat: (device: Device, more?: object) => Promise<void>;
}> {
  const service = await shared.newTeam();
  const [counter, hall] = [await service.pairDevice("Counter"), await service.pairDevice("Hall")];
  const beat = async (device: Device, more: object = {}): Promise<void> => {
    const { body } = await service.call("GET", `players/${device.playerId}`);
    const content = { ...playing(null).content!, revision: body.desired_revision, applied_revision: body.desired_revision };
    expect((await device.call("POST", "heartbeat", heartbeat({ ...playing(null, "Menu"), content, ...more }))).status).toBe(200);
  };
  await beat(counter);
  await beat(hall);
  return { service, counter, hall, beat };
}

test("[CWL10] times within a sentence of a screen are times of its time zone, on the wall and on its page", async () => {
  const { service, counter, beat } = await twoScreens();
  await service.call("PATCH", `players/${counter.playerId}`, { timezone: "Asia/Tokyo" });
  await beat(counter, { problems: [createProblem("item-load", Date.now(), { detail: "it is tried again at 2026-11-24T02:00:00.000Z" })] });
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service);
  const cause = "An item could not be loaded: it is tried again at Nov 24, 2026, 11:00 AM";
  await card(page, "Counter").getByText(cause).waitFor();
  await page.getByRole("link", { name: "Counter", exact: true }).click();
  await page.getByRole("list", { name: "Problems" }).getByText(cause).waitFor();
  expect(window.errors).toEqual([]);
});

test("[CWL7] by keyboard alone cards are reached, selected one by one, as a range and all that match, and opened; filters keep the selection", async () => {
  const wall = walls[0]!;
  const window = await shared.window();
  const { page } = window;
  await window.signIn(wall.service);
  await page.getByText("300 screens", { exact: true }).first().waitFor();
  const focusOn = (name: string) => page.getByRole("link", { name, exact: true }).and(page.locator(":focus"));
  await page.getByRole("link", { name: "Screen 1", exact: true }).focus();
  await page.keyboard.press("ArrowRight");
  await focusOn("Screen 2").waitFor();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+Space");
  const selected = await page.getByText(/^[0-9]+ selected$/).textContent();
  expect(Number.parseInt(selected!, 10)).toBeGreaterThan(3);
  await page.keyboard.press("End");
  await focusOn("Screen 300").waitFor();
  await page.keyboard.press("Home");
  await focusOn("Screen 1").waitFor();
  // The selection outlives a filter, and takes in what matches another.
  await page.getByRole("button", { name: "Clear", exact: true }).press("Enter");
  await page.getByRole("searchbox").fill("leipzig");
  await page.getByText("100 of 300 screens").first().waitFor();
  await page.getByRole("button", { name: "Select all 100", exact: true }).press("Enter");
  await page.getByRole("searchbox").fill("screen 299");
  await page.getByText("1 of 300 screens").first().waitFor();
  await page.getByRole("checkbox", { name: "Select Screen 299" }).press("Space");
  await page.getByText("101 selected").waitFor();
  await page.getByRole("link", { name: "Screen 299" }).press("Enter");
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/screens/${wall.ids[298]}`);
  expect(window.errors).toEqual([]);
});

test("[CWL8] a picture that is asked for is shown as asked, as being taken, and as there only when it has arrived; or why there is none", async () => {
  const { service, counter, beat } = await twoScreens();
  const window = await shared.window();
  const { page } = window;
  // What happens before the page hears of events is read when it does.
  const subscribed = Promise.withResolvers<void>();
  await page.route("**/api/v1/events/tickets", async (route) => {
    await subscribed.promise;
    await route.fallback();
  });
  await window.signIn(service);
  const counterCard = card(page, "Counter");
  /** Asks for a picture. @returns the command, once the service has it: the card tells of the wish before that */
  const ask = async (): Promise<string> => {
    const sent = page.waitForResponse((response) => response.request().method() === "POST" && response.url().endsWith("/commands"));
    await counterCard.getByRole("button", { name: "Take a picture of Counter now" }).click();
    await counterCard.getByText("Waiting for the screen…").waitFor();
    return (await (await sent).json()).id;
  };
  const first = await ask();
  await counter.call("POST", `commands/${first}/status`, { status: "running" });
  subscribed.resolve();
  await counterCard.getByText("Taking a picture…").waitFor();
  expect(await counterCard.getByRole("img", { name: "Last picture" }).count()).toBe(0);
  await counter.putScreenshot("shot_01jd3v8q6m9x2k4n7r5t1w0yza", await picture(), { "command-id": first });
  await counter.call("POST", `commands/${first}/status`, {
    status: "succeeded",
    result: { screenshot_id: "shot_01jd3v8q6m9x2k4n7r5t1w0yza" },
  });
  await counterCard.getByRole("img", { name: "Last picture of Counter" }).waitFor();
  await expect.poll(() => counterCard.getByText("Taking a picture…").count()).toBe(0);

  const second = await ask();
  await counter.call("POST", `commands/${second}/status`, { status: "failed", error: { code: "x", detail: "the display is off" } });
  await counterCard.getByText("No picture: the display is off").waitFor();
  await beat(counter);
  expect(window.errors).toEqual([]);
});

test("[CWL9] on a phone nothing is wider than the page; without screens the wall says how to start a player", async () => {
  const wall = walls[3]!;
  const window = await shared.window(phone);
  const { page } = window;
  await window.signIn(wall.service);
  await card(page, "<img src=x onerror=alert(1)>").waitFor();
  for (const view of ["Grid", "List"]) {
    await page.getByRole("radio", { name: view }).tap();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  }
  await page.getByRole("checkbox", { name: "Select Screen 1", exact: true }).tap();
  await page.getByText("1 selected").waitFor();
  expect(window.errors).toEqual([]);

  const service = await shared.newTeam();
  const empty = await shared.window(phone);
  await empty.signIn(service);
  await empty.page.getByRole("heading", { name: "No screens yet" }).waitFor();
  await empty.page.getByText(`npm run player -- --server ${service.service.url}`).waitFor();
  const pair = empty.page.getByRole("link", { name: "Add a screen" });
  expect(new URL((await pair.getAttribute("href"))!, service.service.url).pathname).toBe("/pair");
  const device = await service.pairDevice("First");
  await card(empty.page, "First").waitFor();
  expect(device.playerId).not.toBe("");
  expect(empty.errors).toEqual([]);
});

// The last, because all screens of the service go offline.
test("[CWL6] a screen that goes offline, breaks, returns, is renamed or removed is shown so at once", async () => {
  const { service, counter, hall, beat } = await twoScreens();
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service);
  await page.getByRole("button", { name: "Playing 2", exact: true }).waitFor();
  await card(page, "Hall").getByText("Plays Menu").waitFor();

  clock.advance(80_000);
  await beat(counter);
  clock.advance(60_000);
  await card(page, "Hall").getByText("Offline", { exact: true }).waitFor();
  await page.getByRole("heading", { name: "Needs attention" }).waitFor();
  await card(page, "Counter").getByText("Playing", { exact: true }).waitFor();

  await beat(hall);
  await card(page, "Hall").getByText("Playing", { exact: true }).waitFor();
  await expect.poll(() => page.getByRole("heading", { name: "Needs attention" }).count()).toBe(0);

  await beat(counter, { problems: [createProblem("disk-unwritable", Date.now())] });
  await card(page, "Counter").getByText("The device cannot read or write its disk.").waitFor();
  // What has no event is told by heartbeats, such as opening hours.
  const display = {
    asked: "off",
    reason: "hours",
    until: null,
    power: "off",
    by: null,
    brightness_percent: null,
    rotation: null,
    mode: null,
    input: null,
  };
  await beat(hall, { telemetry: { display } });
  await card(page, "Hall").getByText("Opening hours").waitFor();

  await service.call("POST", "players/bulk", { target: { player_ids: [hall.playerId] }, change: { tags_add: ["Tonight"] } });
  await card(page, "Hall").getByText("Tonight").waitFor();
  await service.call("PATCH", `players/${hall.playerId}`, { name: "Great hall", tags: ["Ground floor"] });
  await card(page, "Great hall").getByText("Ground floor").waitFor();
  await service.call("DELETE", `players/${counter.playerId}`);
  await expect.poll(() => page.getByRole("article").count()).toBe(1);
  expect(window.errors).toEqual([]);
});
