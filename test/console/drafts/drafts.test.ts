// Publishing with care in the console: drafts, proposals, versions.
import type { Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Actions } from "../../support/console/actions.ts";
import { desktop, phone } from "../../support/console/console.ts";
import { SharedConsole } from "../../support/console/shared.ts";
import { KeyboardPerson } from "../../support/console/keyboard.ts";
import { FakeClock } from "../../support/clock.ts";
import { heartbeat, type Device, type TestService } from "../../service/harness.ts";
import { inviteMember, owner, type Person } from "../../service/people/people.ts";
import { done, layoutOf, text, within } from "../../service/publishing/content.ts";

let shared: SharedConsole;
let service: TestService;
let ada: Person;
const dayMs = 86_400_000;
const clock = new FakeClock(Date.now() - dayMs);
beforeAll(async () => {
  shared = await SharedConsole.start({ clock, hasPreviews: false });
  service = shared.service;
  ada = await owner(service);
});
afterAll(() => shared[Symbol.asyncDispose]());

const read = (path: string) => done(ada, "GET", path);
const textsOf = async (id: string, headers = {}) =>
  (await done(ada, "GET", `playlists/${id}`, undefined, headers)).items.map((item: { text: string }) => item.text);
const durationsOf = async (person: Parameters<typeof done>[0], id: string, headers = {}) =>
  (await done(person, "GET", `playlists/${id}`, undefined, headers)).items.map((item: { duration_ms: number }) => item.duration_ms);
const bar = (page: Page) => page.getByRole("complementary", { name: "Draft" });
const newestVersion = async () => (await read("versions?limit=1")).data[0].number;
const changeCount = ({ change_count: count }: { change_count: number }) => count;
const onlyDraft = async (name: string) => (await read("drafts")).data.find((each: { name: string }) => each.name === name);

/** Says that it plays what it should. */
async function plays(device: Device): Promise<void> {
  const { revision } = (await device.call("GET", "state")).body;
  const content = { is: "applied" as const, revision, applied_revision: revision, ready_bytes: 0, total_bytes: 0, detail: null };
  await device.call("POST", "heartbeat", heartbeat({ content }));
}

/** Begins a draft on the page of a playlist, and works in it. */
async function changeInDraft(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Change in a draft" }).click();
  await page.getByLabel("Name of the draft").fill(name);
  await page.getByRole("dialog").getByRole("button", { name: "Change in a draft" }).click();
}

// The first, because it goes on to the next day.
test("[CDR7] going back to yesterday takes three actions from the wall, says before which screens change, and is taken back", async () => {
  const own = await shared.newTeam();
  const owned = (method: string, path: string, body?: unknown) => done(own, method, path, body);
  const playlist = await owned("POST", "playlists", { name: "Breakfast", items: [text("Eggs")] });
  const layout = await owned("POST", "layouts", layoutOf("Canteen", playlist.id));
  for (const name of ["Lobby", "Hall 3"]) {
    const { playerId } = await own.pairDevice(name);
    await owned("PATCH", `players/${playerId}`, { layout_id: layout.id });
  }
  const { number } = (await owned("GET", "versions?limit=1")).data[0];
  clock.advance(dayMs);
  await owned("PATCH", `playlists/${playlist.id}`, { items: [text("Ham")] });
  await owned("POST", "playlists", { name: "Brunch" });
  const shown = async () => (await owned("GET", `playlists/${playlist.id}`)).items[0].text;
  const window = await shared.window();
  const { page } = window;
  await window.signIn(own, "/");
  const actions = new Actions();
  await actions.do("open the versions", page.getByRole("link", { name: "Versions" }).click());
  await page.getByRole("region", { name: "Today" }).waitFor();
  // The newest of yesterday is what the screens showed when the day ended.
  const yesterday = page.getByRole("region", { name: "Yesterday" });
  await actions.do("choose yesterday", yesterday.getByRole("button", { name: "Go back to this" }).first().click());
  const dialog = page.getByRole("dialog", { name: `Go back to version ${number}?` });
  await dialog.getByText("Playlist “Breakfast” changed").waitFor();
  await dialog.getByText("Playlist “Brunch” deleted").waitFor();
  await dialog.getByText(/^This changes 2 screens, first (?:Lobby|Hall 3) on .* and leaves none empty\.$/).waitFor();
  for (const name of ["Lobby", "Hall 3"]) await dialog.getByRole("link", { name }).waitFor();
  expect(await shown()).toBe("Ham");
  await actions.do("go back", dialog.getByRole("button", { name: "Go back" }).click());
  await page.getByText(`Everything is again as it was at version ${number}`).waitFor();
  expect(actions.done).toHaveLength(3);
  expect(await shown()).toBe("Eggs");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: `Back to version ${number + 2}` }).waitFor();
  expect(await shown()).toBe("Ham");

  // One thing only, from its own versions.
  await page.goto(`${own.service.url}/playlists/${playlist.id}`);
  await page.getByRole("main").getByRole("link", { name: "Versions" }).click();
  await page.getByRole("heading", { name: "Versions of Breakfast", level: 1 }).waitFor();
  await page.getByRole("link", { name: "Playlist “Breakfast” created" }).click();
  await page.getByRole("button", { name: "Bring back only this: Breakfast" }).click();
  await page
    .getByRole("dialog")
    .getByText(/This changes 2 screens/)
    .waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Go back" }).click();
  await page.getByText("“Breakfast” is again as it was at version 1").waitFor();
  expect(await shown()).toBe("Eggs");
  expect((await owned("GET", "playlists")).data.map(({ name }: { name: string }) => name)).toContain("Brunch");
  expect(window.errors).toEqual([]);
});

test("[CDR5] what is changed in a draft survives a reload, is compared, published at once, and followed to each screen", async () => {
  const playlist = await done(ada, "POST", "playlists", { name: "Lunch", items: ["Soup", "Pasta", "Salad"].map(text) });
  const layout = await done(ada, "POST", "layouts", layoutOf("Canteen", playlist.id));
  const [lobby, hall] = [await service.pairDevice("Lobby"), await service.pairDevice("Hall 3")];
  for (const { playerId } of [lobby, hall]) await done(ada, "PATCH", `players/${playerId}`, { layout_id: layout.id });
  await plays(lobby);

  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, `/playlists/${playlist.id}`);
  await changeInDraft(page, "Spring menu");
  await bar(page).getByText("Spring menu").waitFor();
  await page.getByRole("button", { name: "Remove Pasta" }).click();
  await page.getByText("2 items · Saved in the draft").waitFor();
  expect(await textsOf(playlist.id)).toEqual(["Soup", "Pasta", "Salad"]);
  await page.reload();
  await bar(page).getByText("1 change").waitFor();
  await page.getByText("2 items · Saved in the draft").waitFor();

  // Typing is saved a moment later: the draft is left before.
  const seconds = page.getByRole("textbox", { name: "Seconds of Salad" });
  await seconds.fill("42");
  await seconds.press("Enter");
  await bar(page).getByRole("button", { name: "Leave the draft" }).click();
  await page.getByText("3 items").waitFor();
  const spring = await onlyDraft("Spring menu");
  expect(await durationsOf(ada, playlist.id, within(spring))).toEqual([5_000, 42_000]);
  expect(await durationsOf(ada, playlist.id)).toEqual([5_000, 5_000, 5_000]);

  await page.getByRole("link", { name: "Drafts" }).click();
  await page.getByRole("link", { name: "Spring menu" }).click();
  await page.getByText(/This changes 2 screens, first (?:Lobby|Hall 3) on .* and leaves none empty\./).waitFor();
  const change = page.getByRole("listitem", { name: "Lunch" });
  await change.getByText("Pasta removed").waitFor();
  await change.getByText("Plays for: 5 s → 42 s").waitFor();
  await page.getByRole("button", { name: "Publish" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Why (optional)").fill("Less pasta");
  await dialog.getByRole("button", { name: "Publish" }).click();
  await page.getByText("0 of 2 screens").waitFor();
  expect(await textsOf(playlist.id)).toEqual(["Soup", "Salad"]);
  await plays(lobby);
  await page.getByText("1 of 2 screens").waitFor();
  const away = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: "Hall 3" }) });
  await away.getByText("It is not connected: it gets the content when it returns").waitFor();
  await page.getByRole("listitem", { name: "Lunch" }).getByText("Pasta removed").waitFor();
  expect(window.errors).toEqual([]);
});

test("[CDR12] a change made in a draft stays in it if the draft is left before the answer, also if it has to be repeated", async () => {
  const own = await shared.newTeam();
  const { id } = await done(own, "POST", "playlists", { name: "Lunch", items: ["Soup", "Salad"].map(text) });
  const window = await shared.window();
  const { page } = window;
  await window.signIn(own, `/playlists/${id}`);
  await changeInDraft(page, "Spring menu");
  await bar(page).waitFor();
  await page.getByRole("button", { name: "Remove Soup" }).click();
  await page.getByText("1 item · Saved in the draft").waitFor();
  const undo = page.getByRole("button", { name: "Undo", exact: true });
  await undo.waitFor();

  // The next change is refused once, and repeated two seconds later.
  const busy = { status: 503, headers: { "Retry-After": "2" } };
  let isRefused = false;
  await page.route(`**/playlists/${id}`, (route) => {
    if (isRefused || route.request().method() !== "PATCH") return route.continue();
    isRefused = true;
    return route.fulfill(busy);
  });
  const answered = (status: number) => page.waitForResponse((each) => each.request().method() === "PATCH" && each.status() === status);
  const [refused, repeated] = [answered(503), answered(200)];
  const seconds = page.getByRole("textbox", { name: "Seconds of Salad" });
  await seconds.fill("42");
  await seconds.press("Enter");
  await refused;
  await bar(page).getByRole("button", { name: "Leave the draft" }).click();
  expect(await (await repeated).request().headerValue("signage-draft")).not.toBeNull();
  await page.getByText("2 items").waitFor();
  // What was done in the draft cannot be undone outside of it.
  expect(await undo.count()).toBe(0);
  const [spring] = (await done(own, "GET", "drafts")).data;
  expect(await durationsOf(own, id, within(spring))).toEqual([42_000]);
  expect(await durationsOf(own, id)).toEqual([5_000, 5_000]);
  // The browser logs the refused request.
  expect(window.errors).toEqual([expect.stringContaining("503")]);
});

test("[CDR6] what a contributor changes is collected, sent for approval as one, returned with a word, and published when somebody else approves it", async () => {
  const [bea, carl] = [await inviteMember(service, ada, "editor", "Bea"), await inviteMember(service, ada, "contributor", "Carl")];
  const layout = await done(ada, "POST", "layouts", layoutOf("Entrance", null));
  const version = await newestVersion();
  const nameNow = async () => (await read(`layouts/${layout.id}`)).name;

  const office = await shared.window();
  await office.signIn(service, "/team/members");
  await office.page.getByText("Contributors need an approval").click();
  await office.page.getByText("Contributors now need an approval").waitFor();

  const desk = await shared.window(desktop, 1);
  const { page: deskPage } = desk;
  await desk.signInAs(service, carl, `/layouts/${layout.id}`);
  await deskPage.getByText("Your changes will be collected in a draft").waitFor();
  await deskPage.getByLabel("Name", { exact: true }).fill("Front door");
  await deskPage.keyboard.press("Enter");
  await deskPage.getByRole("button", { name: "Save", exact: true }).click();
  await bar(deskPage).getByText("Your changes are collected here.").waitFor();
  await bar(deskPage).getByText("1 change", { exact: true }).waitFor();
  await deskPage.getByText("Saved", { exact: true }).waitFor();
  // What is made next is in the same draft, and so is its page.
  await deskPage.getByRole("link", { name: "Playlists" }).click();
  await deskPage.getByRole("button", { name: "New playlist" }).click();
  await deskPage.getByLabel("Name").fill("Lunch menu");
  await deskPage.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await deskPage.getByRole("heading", { name: "Lunch menu", level: 1 }).waitFor();
  await deskPage.getByRole("button", { name: "Add text" }).first().click();
  await deskPage.getByLabel("Message", { exact: true }).fill("Soup");
  await deskPage.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
  await deskPage.getByText("1 item · Saved in the draft").waitFor();
  await bar(deskPage).getByText("2 changes").waitFor();
  await bar(deskPage).getByRole("button", { name: "Send for approval" }).click();
  await deskPage.getByText("An editor or an owner who did not make it decides about it.").waitFor();
  await bar(deskPage).waitFor({ state: "detached" });
  expect((await read("drafts?state=proposed")).data.map(changeCount)).toEqual([2]);
  expect([await nameNow(), await newestVersion()]).toEqual(["Entrance", version]);

  const pocket = await shared.window(phone);
  await pocket.signInAs(service, bea, "/");
  await pocket.page.getByRole("button", { name: "More" }).click();
  await pocket.page.getByRole("link", { name: "Drafts 1 proposal waits for your decision" }).click();
  await pocket.page.getByRole("link", { name: /^Changes of/ }).click();
  await pocket.page.getByText("Layout: name: Entrance → Front door").waitFor();
  await pocket.page.getByRole("button", { name: "Return" }).click();
  await pocket.page.getByLabel("What should be different").fill("Call it Main entrance");
  await pocket.page.getByRole("dialog").getByRole("button", { name: "Return" }).click();
  await pocket.page.getByText("Returned to Carl").waitFor();

  await desk.page.getByText("Call it Main entrance").waitFor();
  await desk.page.getByRole("button", { name: "Work in it" }).click();
  await bar(desk.page).waitFor();
  await desk.page.getByRole("listitem").getByRole("link", { name: "Front door" }).click();
  await desk.page.getByLabel("Name", { exact: true }).fill("Main entrance");
  await desk.page.keyboard.press("Enter");
  await desk.page.getByRole("button", { name: "Save", exact: true }).click();
  await desk.page.getByText("Saved", { exact: true }).waitFor();
  await bar(desk.page).getByRole("link", { name: "Review" }).click();
  expect(await desk.page.getByRole("button", { name: "Publish" }).count()).toBe(0);
  await desk.page.getByRole("button", { name: "Send for approval" }).click();
  await desk.page.getByText("An editor or an owner who did not make it decides about it.").waitFor();
  expect(await nameNow()).toBe("Entrance");

  await pocket.page.getByRole("button", { name: "Approve and publish" }).click();
  await pocket.page.getByRole("dialog").getByRole("button", { name: "Approve and publish" }).click();
  await pocket.page
    .getByText(/Published as version/)
    .first()
    .waitFor();
  expect(await nameNow()).toBe("Main entrance");
  // The draft that was worked in has ended.
  await bar(desk.page).waitFor({ state: "detached" });
  expect([...office.errors, ...desk.errors, ...pocket.errors]).toEqual([]);
});

test("[CDR10] who began before the team asks for approvals goes on in the draft that their first change became, in another tab too", async () => {
  const dora = await inviteMember(service, ada, "contributor", "Dora");
  await done(ada, "PATCH", `teams/${ada.teamId}`, { approval: "none" });
  const window = await shared.window();
  const { page } = window;
  await window.signInAs(service, dora, "/playlists");
  await page.getByRole("button", { name: "New playlist" }).first().waitFor();
  await done(ada, "PATCH", `teams/${ada.teamId}`, { approval: "required" });
  await page.getByRole("button", { name: "New playlist" }).first().click();
  await page.getByLabel("Name").fill("Desserts");
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await page.getByText("Your changes need an approval now.").waitFor();
  await bar(page).getByText("1 change", { exact: true }).waitFor();
  await page.getByRole("heading", { name: "Desserts", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Add text" }).first().click();
  await page.getByLabel("Message", { exact: true }).fill("Cake");
  await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("1 item · Saved in the draft").waitFor();
  // Outside of the draft the playlist has no page.
  await bar(page).getByRole("button", { name: "Leave the draft" }).click();
  await page.getByRole("listitem", { name: "Desserts" }).waitFor();
  await bar(page).waitFor({ state: "detached" });
  // What was collected is found again in another tab, and gone on with.
  const other = await window.context.newPage();
  await other.goto(`${service.service.url}/playlists`);
  await other.getByRole("button", { name: /^Go on with / }).click();
  await other.getByRole("link", { name: "Desserts" }).waitFor();
  const own = (await done(dora, "GET", "drafts?state=open")).data;
  expect([own.map(changeCount), (await read("drafts?state=proposed")).data]).toEqual([[1], []]);
  expect(window.errors).toEqual([]);
});

test("[CDR8] a conflict is decided and a draft published by keyboard alone, and nothing is published before the decision", async () => {
  const playlist = await done(ada, "POST", "playlists", { name: "Drinks", items: [text("Tea")] });
  const draft = await done(ada, "POST", "drafts", { name: "Two minds" });
  await done(ada, "PATCH", `playlists/${playlist.id}`, { items: [text("Coffee")] }, within(draft));
  await done(ada, "PATCH", `playlists/${playlist.id}`, { items: [text("Water")] });
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, "/");
  const person = new KeyboardPerson(page);
  await person.go("g", "d");
  await person.to(page.getByRole("link", { name: /Two minds/ }));
  await person.press("Enter");
  await page.getByText("Changed by somebody else, too").waitFor();
  await person.to(page.getByRole("button", { name: "Publish" }));
  await person.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Decide about the conflict first").waitFor();
  expect(await dialog.getByRole("button", { name: "Publish" }).isDisabled()).toBe(true);
  await person.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await person.to(page.getByRole("radio", { name: "This draft" }));
  await person.press("Space");
  await person.to(page.getByRole("button", { name: "Publish" }), "Shift+Tab");
  await person.press("Enter");
  await dialog.waitFor();
  await person.to(dialog.getByRole("button", { name: "Publish" }));
  await person.press("Enter");
  await page
    .getByText(/Published as version/)
    .first()
    .waitFor();
  expect(await textsOf(playlist.id)).toEqual(["Coffee"]);
  await person.isSomewhere();
  expect(person.faults).toEqual([]);
  expect(window.errors).toEqual([]);
});

test("[CDR11] in a draft, what is put on screens at once is chosen of what is published", async () => {
  const playlist = await done(ada, "POST", "playlists", { name: "Notes", items: [text("Hello")] });
  const draft = await done(ada, "POST", "drafts", { name: "Refit" });
  await done(ada, "POST", "layouts", layoutOf("Old counter", playlist.id));
  await done(ada, "POST", "layouts", layoutOf("New counter", playlist.id), within(draft));
  const window = await shared.window();
  const { page } = window;
  await window.enterDraft(service, draft);
  await window.signIn(service, "/layouts");
  await page.getByRole("link", { name: "New counter" }).waitFor();
  await page.goto(`${service.service.url}/show`);
  await page.getByText("Layout", { exact: true }).click();
  await page.getByText("What the draft “Refit” changes cannot be shown yet.").waitFor();
  await page.getByRole("radio", { name: "Old counter" }).waitFor();
  expect(await page.getByRole("radio", { name: "New counter" }).count()).toBe(0);
  expect(window.errors).toEqual([]);
});

test("[CDR9] what an editor has not saved yet is saved to a draft, a new one or one in work, and nothing is published", async () => {
  clock.advance(1_000); // Winter is the newest draft.
  const layout = await done(ada, "POST", "layouts", layoutOf("Window", null));
  const times = { starts_at: "2026-11-20T11:00", ends_at: "2026-11-20T14:00" };
  const schedule = await done(ada, "POST", "schedules", { name: "Morning", layout_id: layout.id, target: { type: "team" }, ...times });
  await done(ada, "POST", "drafts", { name: "Winter" });
  const window = await shared.window();
  const { page } = window;
  await window.signIn(service, `/layouts/${layout.id}`);
  const dialog = page.getByRole("dialog");
  await page.getByLabel("Name", { exact: true }).fill("Shop window");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Save to a draft" }).click();
  await dialog.getByRole("button", { name: "Winter" }).click();
  await page.getByRole("option", { name: "A new draft" }).click();
  await dialog.getByLabel("Name of the draft").fill("Autumn");
  await dialog.getByRole("button", { name: "Save to a draft" }).click();
  await bar(page).getByText("1 change").waitFor();
  await page.getByText("Saved", { exact: true }).waitFor();
  await bar(page).getByRole("button", { name: "Leave the draft" }).click();
  await page.getByRole("heading", { name: "Window", level: 1, exact: true }).waitFor();

  await page.goto(`${service.service.url}/schedules/${schedule.id}`);
  await page.getByLabel("Name", { exact: true }).fill("All morning");
  await page.getByRole("button", { name: "Save to a draft" }).click();
  await dialog.getByRole("button", { name: "Save to a draft" }).click();
  await bar(page).getByText("2 changes").waitFor();
  await page.getByRole("heading", { name: "All morning", level: 1 }).waitFor();
  expect([(await read(`layouts/${layout.id}`)).name, (await read(`schedules/${schedule.id}`)).name]).toEqual(["Window", "Morning"]);
  const autumn = await read(`drafts/${(await onlyDraft("Autumn")).id}`);
  expect(autumn.changes.map(({ name }: { name: string }) => name).toSorted()).toEqual(["All morning", "Shop window"]);
  expect(window.errors).toEqual([]);
});
