// Pairs screens as a person does: by typing, by pasting, by the QR code, by keyboard alone and on a phone.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { inviteMember, owner } from "../../service/people/people.ts";
import { heartbeat, picture, type Device, type TestService } from "../../service/harness.ts";
import { Actions } from "../../support/console/actions.ts";
import { phone } from "../../support/console/console.ts";
import { FakeClock } from "../../support/clock.ts";
import { SharedConsole } from "../../support/console/shared.ts";

let shared: SharedConsole;
let service: TestService;
let device: Device;
beforeAll(async () => {
  // Wrong codes are counted by the minute.
  shared = await SharedConsole.start({ clock: new FakeClock(Date.now()) });
  service = shared.service;
});
afterAll(() => shared[Symbol.asyncDispose]());
beforeEach(async () => {
  device = await service.newDevice();
});

/** The only player with this name. */
async function playerNamed(name: string) {
  const { data } = (await service.call("GET", `players?q=${encodeURIComponent(name)}`)).body;
  expect(data).toHaveLength(1);
  return data[0];
}

// The first, because the owner has no screen yet. With a real screen: first-picture.long.test.ts.
test("[CPR7] from a fresh service to one's own picture on a screen takes at most eight actions, typing nothing but code and name", async () => {
  const window = await shared.window();
  const { page } = window;
  const { body } = await service.call("POST", "sign-in-links", {});
  const actions = new Actions();
  // The link that the service prints.
  await actions.do("open the link", page.goto(body.url));
  await actions.do("skip the password", page.getByRole("button", { name: "Skip" }).click());
  await actions.do("add a screen", page.getByRole("link", { name: "Add a screen" }).click());
  await page.getByLabel("Code on the screen").waitFor();
  await actions.do("type the code", page.keyboard.type(device.grant.user_code));
  await actions.do("type the name", page.keyboard.type("Entrance"));
  const chooser = page.waitForEvent("filechooser");
  await actions.do("choose a file", page.getByRole("button", { name: "Choose a file" }).click());
  const file = { name: "menu.png", mimeType: "image/png", buffer: await picture() };
  await actions.do("answer with the file", (await chooser).setFiles(file));
  await actions.do("add the screen", page.getByRole("button", { name: "Add screen" }).click());
  expect(actions.count, actions.done.join("; ")).toBeLessThanOrEqual(8);
  await page.getByRole("heading", { name: "Entrance is yours" }).waitFor();
  await device.firstToken();
  const shown = { id: expect.stringMatching(/^ast_/), sha256: createHash("sha256").update(file.buffer).digest("hex") };
  await expect.poll(async () => (await device.call("GET", "state")).body.assets).toEqual([expect.objectContaining(shown)]);
  expect(window.errors).toEqual([]);
});

test("[CPR1] a screen is paired by typing its code and a name; its steps follow what service and player report, and a reload shows them again", async () => {
  const window = await shared.window();
  const { page, errors } = window;
  await window.signIn(service);
  await page.getByRole("link", { name: "Add a screen" }).click();
  // Lower case and without the dash: the eighth letter leads on to the name.
  await page.getByLabel("Code on the screen").waitFor();
  await page.keyboard.type(device.grant.user_code.replace("-", "").toLowerCase());
  expect(await page.getByLabel("Code on the screen").inputValue()).toBe(device.grant.user_code);
  await page.keyboard.type("Counter");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Counter is yours" }).waitFor();
  await page.getByText("Waiting for the screen to connect").waitFor();
  await page.getByText("It shows its name and waits").waitFor();
  await device.firstToken();
  const link = await device.connect();
  await page.getByText("It is online.").waitFor();
  // Its heartbeat tells what it shows.
  const { asset, layout } = await service.showPicture(device);
  await page.getByText("It is getting its content ready").waitFor();
  const shown = {
    zone_id: layout.zones[0].id,
    item_id: (await service.call("GET", `playlists/${layout.zones[0].playlist_id}`)).body.items[0].id,
  };
  const now_playing = [{ ...shown, asset_id: asset.id, presented_at: new Date().toISOString() }];
  link.send({ type: "heartbeat", data: heartbeat({ now_playing }) });
  await page.getByText("It shows its first content").waitFor();
  // A reload shows the same screen, not an empty form.
  await page.reload();
  await page.getByText("It shows its first content").waitFor();
  await page.getByRole("link", { name: "Add another screen" }).click();
  expect(await page.getByLabel("Code on the screen").inputValue()).toBe("");
  expect(errors).toEqual([]);
});

test("[CPR2] a pasted address, sentence or code with spaces gives the code; a letter that no code has is said at once", async () => {
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/pair");
  const field = page.getByLabel("Code on the screen");
  await field.waitFor();
  const code = device.grant.user_code;
  const [first, last] = code.split("-");
  for (const pasted of [
    `http://192.168.1.10:8080/claim?code=${code}`,
    `The code is ${first} ${last}.`,
    `  ${code.toLowerCase()}\n`,
    `${first}–${last}`,
  ]) {
    await field.fill("");
    await field.focus();
    await page.keyboard.insertText(pasted);
    expect([pasted, await field.inputValue()]).toEqual([pasted, code]);
  }
  // The caret stays where the person corrects a letter.
  await field.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Delete");
  await page.keyboard.type(code[1]!);
  expect(await field.inputValue()).toBe(code);
  await field.fill("WAJB");
  await page.getByText("“A” is misread").waitFor();
  expect(window.errors).toEqual([]);
});

test("[CPR3] the QR code of the screen leads to the filled form, after signing in if needed", async () => {
  const window = await shared.window(phone);
  const { page } = window;
  const { url } = service.service;
  await page.goto(`${url}/claim?code=${device.grant.user_code}`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(new URL(page.url()).searchParams.get("to")).toBe(`/pair?code=${device.grant.user_code}`);
  const signIn = (await service.call("POST", "sign-in-links", {})).body;
  // The person signs in on this page.
  await page.goto(`${page.url()}${new URL(signIn.url).hash}`);
  await page.getByRole("button", { name: "Skip" }).tap();
  await page.getByRole("heading", { name: "Add a screen" }).waitFor();
  expect(await page.getByLabel("Code on the screen").inputValue()).toBe(device.grant.user_code);
  // The name is the next that is needed, and has the focus.
  await page.keyboard.type("By phone");
  await page.getByRole("button", { name: "Add screen" }).tap();
  await page.getByRole("heading", { name: "By phone is yours" }).waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  expect(window.errors.filter((each) => !each.includes("401"))).toEqual([]);
});

test("[CPR4] tags, orientation, time zone and first content are given in the same form, by keyboard alone", async () => {
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/pair");
  await page.getByLabel("Code on the screen").waitFor();
  const { keyboard } = page;
  await keyboard.type(device.grant.user_code);
  await keyboard.type("Window");
  const tabTo = async (name: string): Promise<void> => {
    const wanted = page.getByLabel(name, { exact: true }).and(page.locator(":focus"));
    for (let presses = 0; presses < 30; presses += 1) {
      await keyboard.press("Tab");
      if ((await wanted.count()) > 0) return;
    }
    throw new Error(`the focus does not reach ${name}`);
  };
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a file" }).focus();
  await keyboard.press("Enter");
  await (await chooser).setFiles({ name: "menu.png", mimeType: "image/png", buffer: await picture() });
  await page.getByText("menu.png is in your library").waitFor();
  await tabTo("Landscape");
  await keyboard.press("ArrowRight");
  await tabTo("Tags");
  await keyboard.type("window, ground floor");
  await keyboard.press("Enter");
  await tabTo("Time zone");
  await keyboard.press("ControlOrMeta+a");
  await keyboard.type("Lisbon");
  await page.getByRole("option", { name: "Europe/Lisbon" }).waitFor();
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await page.getByRole("button", { name: "Add screen" }).focus();
  await keyboard.press("Enter");
  await page.getByText("Its settings are saved").waitFor();
  const player = await playerNamed("Window");
  expect(player).toMatchObject({ tags: ["window", "ground floor"], orientation: "portrait", timezone: "Europe/Lisbon" });
  const layout = (await service.call("GET", `layouts/${player.layout_id}`)).body;
  // As tall as the screen hangs.
  expect(layout).toMatchObject({ name: "Window", width: 1080, height: 1920 });
  const playlist = (await service.call("GET", `playlists/${layout.zones[0].playlist_id}`)).body;
  expect(playlist.items).toMatchObject([{ type: "image" }]);
  expect(window.errors).toEqual([]);
});

test("[CPR5] an unknown, used or incomplete code and a missing name are said at their fields, and too many wrong codes at once", async () => {
  const team = await shared.newTeam();
  const guesser = await inviteMember(team, await owner(team), "editor");
  const window = await shared.window();
  const { page } = window;
  await window.signInAs(team, guesser, "/pair");
  const add = page.getByRole("button", { name: "Add screen" });
  await add.click();
  await page.getByText("Enter all eight letters").waitFor();
  await page.getByText("Please fill this in").waitFor();
  const code = page.getByRole("textbox", { name: "Code on the screen" });
  expect(await code.getAttribute("aria-invalid")).toBe("true");
  await page.getByLabel("Name").fill("Twice");
  const used = await team.pairDevice();
  await code.fill(used.grant.user_code);
  await add.click();
  await page.getByText("This code has been used").waitFor();
  for (let tried = 0; tried < 6; tried += 1) {
    await code.fill(`BCDFGHJ${"BCDFGHJ"[tried % 7]}`);
    await page.getByText(/no screen shows this code|too many/i).waitFor({ state: "detached" });
    await add.click();
    await page.getByText(/no screen shows this code|too many/i).waitFor();
  }
  await page.getByText(/too many wrong codes/i).waitFor();
  expect(await code.and(page.locator(":focus")).count()).toBe(1);
});

test("[CPR6] a refused file is said with its reason, and the screen is added without it", async () => {
  const team = await shared.newTeam();
  const other = await team.newDevice();
  const window = await shared.window();
  const { page } = window;
  await window.signIn(team, `/pair?code=${other.grant.user_code}`);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a file" }).click();
  await (await chooser).setFiles({ name: "letter.txt", mimeType: "text/plain", buffer: Buffer.from("Dear screen") });
  await page.getByRole("alert").getByText("letter.txt did not get into the library").waitFor();
  await page.getByLabel("Name").fill("<b>Bar</b>");
  await page.getByRole("button", { name: "Add screen" }).click();
  // Names are text, never HTML.
  await page.getByRole("heading", { name: "<b>Bar</b> is yours" }).waitFor();
  expect((await team.call("GET", "players")).body.data).toMatchObject([{ name: "<b>Bar</b>", layout_id: null }]);
});

test("[HTT4] the page behind the QR code of a screen loads nothing from other sites", async () => {
  const { url } = service.service;
  const redirect = await fetch(`${url}/claim?code=WDJB-MJHT`, { redirect: "manual" });
  expect([redirect.status, redirect.headers.get("location")]).toEqual([302, "pair?code=WDJB-MJHT"]);
  const page = await fetch(`${url}/claim?code=WDJB-MJHT`, { headers: { accept: "text/html" } });
  expect(page.status).toBe(200);
  const html = await page.text();
  expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  const policy = page.headers.get("content-security-policy")!;
  expect(policy).not.toMatch(/https?:/);
  for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
    expect(policy).toContain(part);
  expect(policy).not.toContain("unsafe");
  const base = new URL(/<base href="([^"]+)"/.exec(html)![1]!, url);
  for (const [, address] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
    expect((await fetch(new URL(address!, base))).status, address).toBe(200);
  }
  // What is given as a code leads nowhere else.
  const elsewhere = await fetch(`${url}/claim?code=//elsewhere.example`, { redirect: "manual" });
  expect(new URL(elsewhere.headers.get("location")!, `${url}/claim`).host).toBe(new URL(url).host);
});
