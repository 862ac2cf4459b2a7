// What web and html items show and may do.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { processesNaming } from "../../host/processes.ts";
import { colouredPage } from "../../support/network/web-server.ts";
import { waitUntil } from "../../support/polling.ts";
import { quartered } from "./site-pages.ts";
import { isBlue, isGreen, item, SiteScreen } from "./site-screen.ts";

let screen: SiteScreen;

beforeAll(async () => {
  screen = await SiteScreen.start();
});
afterAll(() => screen[Symbol.asyncDispose]());
beforeEach(() => screen.reset());

test("[WEB1] a web item is on screen and painted when it is reported as presented", async () => {
  const page = item({ type: "web", url: `${screen.web.origin}/green` });
  screen.draw([page]);
  await screen.message("presented", page.id);
  expect(await screen.pixel(480, 270)).toSatisfy(isGreen);
  expect(await screen.pixel(955, 535)).toSatisfy(isGreen);
});

test("[WEB14] a framed page receives the origin of the player's page as its referrer, and nothing more: embedded videos need one", async () => {
  const page = item({ type: "web", url: `${screen.web.origin}/green` });
  screen.draw([page]);
  await screen.message("presented", page.id);
  const request = screen.web.requests.find(({ path }) => path === "/green")!;
  expect(request.headers.referer).toBe(`${new URL(screen.surface.hostPage.url).origin}/`);
});

test("[WEB2] a page's dialogs, popups, downloads and prompts do not appear, and it can neither navigate the player's page nor read it", async () => {
  const page = item({ type: "web", url: `${screen.web.origin}/hostile` });
  screen.draw([page]);
  await screen.message("presented", page.id);
  await waitUntil("the page has tried every kind of request", () => screen.reported("done") === "yes");
  expect(screen.reported("dialogs")).toBe(",false,");
  expect(screen.reported("popup")).toBe("true");
  expect(screen.reported("permission")).toBe("denied");
  expect(screen.reported("top")).toBe("SecurityError");
  expect(screen.reported("reads")).toBe("SecurityError");
  expect(screen.reported("cookie")).toBe("none");
  for (const { headers } of screen.web.requests) expect(headers.cookie ?? "").not.toContain(screen.surface.hostPage.cookie.value);
  expect(screen.web.requests.map(({ path }) => path)).not.toContain("/blue");
  expect(await screen.pixel(480, 270)).toSatisfy(isGreen);
});

test("[WFR15] workers of a framed page run, and workers inside them", async () => {
  const works = item({ type: "web", url: `${screen.web.origin}/works` });
  screen.draw([works]);
  await screen.message("presented", works.id);
  await expect.poll(() => screen.pixel(480, 270)).toSatisfy(isGreen);
});

test("[WEB5] the page has the layout of its zoom and fills its zone", async () => {
  const page = item({ type: "web", url: `${screen.web.origin}/size`, zoom: 2 });
  screen.draw([page]);
  await screen.message("presented", page.id);
  await waitUntil("the page reports its size", () => screen.reported("size") !== undefined);
  expect(screen.reported("size")).toBe("480x270");
  expect(await screen.pixel(955, 535)).toSatisfy(isGreen);
});

test("[WEB6] credentials are sent to the site and are not in anything sent to the page", async () => {
  const page = item({
    type: "web",
    url: `${screen.web.origin}/secret`,
    headers: { "X-Key": "key-4711" },
    basic_auth: { username: "lobby", password: "pass-4711" },
  });
  const shown = vi.spyOn(screen.surface, "show");
  screen.draw([page]);
  await screen.message("presented", page.id);
  expect(screen.web.requests.find(({ path }) => path === "/secret")!.headers).toMatchObject({
    "x-key": "key-4711",
    authorization: `Basic ${Buffer.from("lobby:pass-4711").toString("base64")}`,
  });
  expect(JSON.stringify(shown.mock.calls)).not.toMatch(/(key|pass)-4711/);
});

test("[WEB7] a page is reloaded hidden; when that fails, the page on screen stays", async () => {
  const page = item({ type: "web", url: `${screen.web.origin}/counts`, refresh_interval_ms: 5_000 });
  screen.draw([page]);
  await screen.message("presented", page.id);
  expect(await screen.pixel(480, 270)).toSatisfy(isGreen);
  await waitUntil("the reloaded page is shown", async () => isBlue(await screen.pixel(480, 270)));
  screen.isDown = true;
  const requestCount = () => screen.web.requests.filter(({ path }) => path === "/counts").length;
  const before = requestCount();
  await waitUntil("reloads have failed", () => requestCount() >= before + 2);
  expect(await screen.pixel(480, 270)).toSatisfy(isBlue);
  expect(screen.received.some(({ type }) => type === "failed")).toBe(false);
});

test("[WEB8] a bundle is shown from its own origin and can reach nothing else", async () => {
  const asset = await screen.bundle([
    { name: "index.html", bytes: colouredPage("white", "<script src=app.js></script>") },
    {
      name: "app.js",
      bytes: `const own = fetch('/data.json').then((answer) => answer.json());
        const foreign = fetch('${screen.web.origin}/report?leak=1').then(() => 'went', () => 'refused');
        const image = new Promise((done) => { const i = new Image(); i.onload = i.onerror = done; i.src = '${screen.web.origin}/report?leak=2' });
        let stage = 'refused'; try { stage = parent.document.title } catch {}
        Promise.all([own, foreign, image]).then(([own, foreign]) => {
          const ok = own.ok && foreign === 'refused' && stage === 'refused' && document.cookie === '' && /localhost$/.test(location.hostname);
          document.body.style.background = ok ? 'rgb(0,160,0)' : 'rgb(200,0,0)';
        });`,
    },
    { name: "data.json", bytes: '{"ok":true}' },
  ]);
  const shown = item({ type: "html", asset_id: asset.id });
  screen.draw([shown], [asset]);
  await screen.message("presented", shown.id);
  await waitUntil("the page's script finds no error", async () => isGreen(await screen.pixel(480, 270)));
  expect(screen.reported("leak")).toBeUndefined();
});

test.for(["web", "html"] as const)("[ZON10] an item of another site (%s) rotates with the display", async (type) => {
  const quarters = { 0: [240, 135], 90: [720, 135], 180: [720, 405], 270: [240, 405] } as const;
  for (const rotation of [0, 90, 180, 270] as const) {
    const asset = await screen.bundle([{ name: "index.html", bytes: quartered }]);
    const shown = type === "web" ? item({ type, url: `${screen.web.origin}/quarters` }) : item({ type, asset_id: asset.id });
    screen.draw([shown], [asset], rotation);
    await screen.message("presented", shown.id);
    const green: string[] = [];
    for (const [degrees, [x, y]] of Object.entries(quarters)) if (isGreen(await screen.pixel(x, y))) green.push(degrees);
    expect(green).toEqual([String(rotation)]);
  }
});

test("[WEB10] removed iframes leave no process behind", async () => {
  const asset = await screen.bundle([{ name: "index.html", bytes: colouredPage("rgb(0,0,200)") }]);
  const count = async (): Promise<number> => (await processesNaming(screen.profile)).length;
  const pass = async (): Promise<void> => {
    for (const next of [item({ type: "web", url: `${screen.web.origin}/green` }), item({ type: "html", asset_id: asset.id })]) {
      screen.draw([next], [asset]);
      await screen.message("presented", next.id);
    }
  };
  await pass();
  const before = await count();
  for (let passes = 0; passes < 6; passes++) await pass();
  await waitUntil("no more processes than before", async () => (await count()) <= before + 1);
});

test("[WEB11] a change from one page to the next shows no other picture in between", async () => {
  const asset = await screen.bundle([{ name: "index.html", bytes: colouredPage("rgb(0,0,200)") }]);
  const items = [
    item({ type: "web", url: `${screen.web.origin}/green`, duration_ms: 1_000 }),
    item({ type: "html", asset_id: asset.id, duration_ms: 1_000 }),
    item({ type: "text", text: "x", background_color: "#c80000", font_size: 20, duration_ms: 1_000 }),
  ];
  const redraw = screen.draw(items, [asset]);
  const presented = () => screen.received.filter(({ type }) => type === "presented");
  await waitUntil("the loop runs", () => presented().length > 0);
  const isRed = ([red, green, blue]: readonly number[]): boolean => red! > 160 && green! < 40 && blue! < 40;
  const foreign = new Map<string, number>();
  let samples = 0;
  const timer = setInterval(() => {
    for (const [x, y] of [
      [950, 10],
      [950, 530],
    ] as const) {
      const seen = screen.display.framebuffer.pixel(x, y);
      samples++;
      if (!isGreen([...seen]) && !isBlue([...seen]) && !isRed(seen)) foreign.set(seen.join(), (foreign.get(seen.join()) ?? 0) + 1);
    }
  }, 1);
  const redrawing = setInterval(redraw, 300);
  try {
    await waitUntil("twelve changes", () => presented().length >= 13);
  } finally {
    clearInterval(timer);
    clearInterval(redrawing);
  }
  expect([...foreign]).toEqual([]);
  expect(samples).toBeGreaterThan(2_000);
  expect(screen.received.filter(({ type }) => type === "failed")).toEqual([]);
});
