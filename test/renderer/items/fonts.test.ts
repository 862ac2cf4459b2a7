// The shipped fonts on a real Chromium: beside the fonts of this machine, one that has none.
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rootFolder } from "../../../src/main/folders.ts";
import { fontFamilies } from "../../../src/protocol/content/item-styles.ts";
import { NewPlaylistItem } from "../../../src/protocol/content/items.ts";
import type { Scene, SceneItem } from "../../../src/protocol/scene.ts";
import { fontPackages } from "../../../config/fonts.ts";
import { item, slot, stage, zone } from "../scenes.ts";
import { type OpenedPage, startTestBrowser, type TestBrowser } from "../test-browser.ts";

const lastResort = join(rootFolder, "renderer/player/fonts/last-resort.ttf");
const long = 600_000;
let folder: string;
let bare: TestBrowser;
let installed: TestBrowser;

// Chromium draws nothing at all without any font, not even those of a page. What it finds here draws boxes only.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signage-fonts-"));
  await mkdir(join(folder, "fonts"));
  await copyFile(lastResort, join(folder, "fonts/last-resort.ttf"));
  const config = `<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/cache</cachedir></fontconfig>`;
  await writeFile(join(folder, "fonts.conf"), `<?xml version="1.0"?>${config}`);
  [bare, installed] = await Promise.all([startTestBrowser({ FONTCONFIG_FILE: join(folder, "fonts.conf") }), startTestBrowser()]);
  const own = `@font-face { font-family: Mine; src: url(data:font/ttf;base64,${await readFile(lastResort, "base64")}) }`;
  for (const { mediaFolder } of [bare, installed]) await writeFile(join(mediaFolder, "words.svg"), svgOf(own));
});
afterAll(async () => {
  await Promise.all([bare[Symbol.asyncDispose](), installed[Symbol.asyncDispose]()]);
  await rm(folder, { recursive: true, force: true });
});

function svgOf(ownFont: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 540"><style>${ownFont}
    .sheet { font: italic 700 40px Georgia, serif } @media all { .nested { font-family: "Open Sans" } }</style>
    <g fill="#fff" font-size="40"><text class="sheet" x="20" y="60">Sheet Größe</text><text class="nested" x="20" y="120">Nested مرحبا</text>
    <text x="20" y="180" style="font-family:'Courier New',monospace">Attribute ☎</text><text x="20" y="240" font-family="Oswald">Oswald 営業</text>
    <text x="20" y="300" font-family="Mine">Own</text><text x="20" y="360">None <tspan font-weight="900">heavy</tspan></text></g></svg>`;
}

/** Texts as zones of one stage, side by side. */
function texts(items: readonly SceneItem[], now: number): { scene: Scene; keys: string[] } {
  const columns = 6;
  const height = 540 / Math.ceil(items.length / columns);
  const slots = items.map((each) => slot(each, now - 100, long));
  const place = (at: number) => ({ left: (at % columns) * 160, top: Math.floor(at / columns) * height, width: 160, height });
  return { scene: stage(slots.map((play, at) => zone([play], place(at)))), keys: slots.map(({ key }) => key) };
}

/** Shows texts and waits until all are presented. */
async function present({ server }: OpenedPage, items: readonly SceneItem[]): Promise<void> {
  const { scene, keys } = texts(items, server.now());
  server.draw(scene);
  for (const wanted of keys) await server.waitForMessage("presented", ({ key }) => key === wanted);
}

/** Shows texts on a machine without fonts and on one with some, until both look the same. @returns their picture, as raw pixels. */
async function showOnBoth(items: readonly SceneItem[]): Promise<{ picture: Buffer; without: OpenedPage; beside: OpenedPage }> {
  const [without, beside] = await Promise.all([bare.shared(), installed.shared()]);
  await Promise.all([present(without, items), present(beside, items)]);
  return { picture: await samePicture(without, beside), without, beside };
}

/** The picture that both have once all fonts are loaded: a text does not wait longer than three seconds for its fonts. */
async function samePicture(without: OpenedPage, beside: OpenedPage): Promise<Buffer> {
  let picture!: Buffer;
  const areSame = async (): Promise<boolean> => {
    picture = await pixels(without.page);
    return picture.equals(await pixels(beside.page));
  };
  await expect.poll(areSame).toBe(true);
  return picture;
}

/** Holds back the files that a page requests until `release` is called; `asked` resolves with the first request. */
async function holdBack(page: Page, files: RegExp): Promise<{ urls: string[]; asked: Promise<void>; release: () => void }> {
  const urls: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  await page.route(files, async (route) => {
    urls.push(route.request().url());
    ask();
    await released;
    await route.continue();
  });
  return { urls, asked, release };
}

async function pixels(page: Page): Promise<Buffer> {
  return sharp(await page.screenshot())
    .removeAlpha()
    .raw()
    .toBuffer();
}

/** The fonts of each text on the screen, as Chromium drew it. Installed ones have a mark. */
async function fontsOf({ page }: OpenedPage, selector = ".words"): Promise<string[][]> {
  const session = await page.context().newCDPSession(page);
  await session.send("DOM.enable");
  await session.send("CSS.enable");
  const { root } = await session.send("DOM.getDocument", { depth: -1 });
  const { nodeIds } = await session.send("DOM.querySelectorAll", { nodeId: root.nodeId, selector });
  const used = await Promise.all(nodeIds.map((nodeId) => session.send("CSS.getPlatformFontsForNode", { nodeId })));
  await session.detach();
  return used.map(({ fonts }) => fonts.map(({ familyName, isCustomFont }) => (isCustomFont ? familyName : `${familyName} (installed)`)));
}

const fontFiles = /\.woff2$/;
const font_family = "oswald";
const feed = { type: "feed", timezone: "UTC", title: "Post", trouble: null, font_family } as const;

const words = (text: string, fields: object = {}): SceneItem => item({ type: "text", text, font_size: 28, ...fields });

const samples = (
  "Größe,Ελλάδα,Привет,Tiếng,नमस्ते,مرحبا,שלום,বাংলা,தமிழ்,తెలుగు,ಕನ್ನಡ,മലയാളം,ગુજરાતી,ਪੰਜਾਬੀ,ଓଡ଼ିଆ,සිංහල,ไทย,ລາວ,ខ្មែរ,မြန်မာ,བོད་,ქართული,Հայերեն,አማርኛ," +
  "ᠮᠣᠩᠭᠣᠯ,ᏣᎳᎩ,ᐃᓄᒃᑎᑐᑦ,ދިވެހި,ܣܘܪܝܝܐ,ꦗꦮ,ᬩᬮᬶ,ᮞᮥᮔ᮪ᮓ,ߒߞߏ,ⵜⴰⵎⴰ,ᱥᱟᱱᱛᱟᱲᱤ,ꯃꯤꯇꯩ,𞤆𞤵𞤤,ꤊꤢꤛ,ꕙꔤ,ᜊᜌ,你好,こんにちは,안녕하세요,→ ✔ ∑ ⠓,😀👩‍💻🇩🇪❤️1️⃣"
).split(",");

test("[FNT1] every shipped script, symbols and emoji are drawn in shipped fonts, pixel for pixel the same with and without installed fonts", async () => {
  const items = samples.map((sample) => words(sample));
  const { picture, without, beside } = await showOnBoth(items);
  const used = await fontsOf(without);
  const wrong = samples.filter((_sample, at) => used[at]!.length === 0 || used[at]!.some((name) => /installed|Last Resort/.test(name)));
  expect(wrong).toEqual([]);
  expect(await fontsOf(beside)).toEqual(used);
  // The last text is the emoji: it has colours.
  const last = picture.subarray(-3 * 960 * 60);
  expect(last.some((value, at) => at % 3 === 0 && Math.abs(value - last[at + 2]!) > 100)).toBe(true);
});

test("[FNT2] each family has letters of its own, upright, bold and italic, the same with and without installed fonts", async () => {
  const styles = [{}, { font_weight: 700 }, { font_style: "italic" }];
  const items = fontFamilies.flatMap((font_family) => styles.map((style) => words("Rag 4711", { font_family, ...style })));
  const { picture, without } = await showOnBoth(items);
  const names = (await fontsOf(without)).map(([name]) =>
    name!.replace(/ (?:Thin|ExtraLight|Light|Regular|Medium|Bold|Black|Italic|Variable)\b/g, ""),
  );
  const wanted = ["Noto Sans", "Noto Serif", "Noto Sans Mono", "Inter", "Source Serif 4", "Roboto Slab", "Playfair Display"];
  expect([...new Set(names)]).toEqual([...wanted, "JetBrains Mono", "Oswald"]);
  const columns = 6;
  const height = 540 / Math.ceil(items.length / columns);
  const drawing = sharp(picture, { raw: { width: 960, height: 540, channels: 3 } });
  const parts = items.map((_item, at) => ({
    left: (at % columns) * 160,
    top: Math.floor(at / columns) * height,
    width: 160,
    height,
  }));
  const drawn = await Promise.all(parts.map((part) => drawing.clone().extract(part).toBuffer()));
  expect(new Set(drawn.map((each) => each.toString("base64"))).size).toBe(items.length);
});

test("[FNT3] Chinese characters have the forms of the text's language, which is given or found by its letters, as far as its font has them", async () => {
  const opened = await bare.shared();
  const plain = ["营业时间", "營業時間", "営業時間", "영업시간 營業", "本日休業です"];
  await present(opened, [
    ...plain.map((text) => words(text)),
    ...["zh-CN", "zh-TW", "ja", "ko"].map((locale) => words("骨直", { locale })),
    // Only another font of the list has these. The package for traditional Chinese names the first all the same.
    words("敱", { locale: "zh-TW" }),
    words("𥻨", { locale: "zh-CN" }),
  ]);
  const used = (await fontsOf(opened)).map((names) => names.flatMap((name) => /Noto Sans ([A-Z]{2})/.exec(name)?.[1] ?? []).join());
  expect(used).toEqual(["SC", "TC", "JP", "KR", "JP", "SC", "TC", "JP", "KR", "SC", "JP"]);
});

test("[FNT4] a letter that no shipped font has is an empty box, whatever is installed", async () => {
  const { beside } = await showOnBoth([words("a \ue000 \u{13000}")]);
  expect((await fontsOf(beside))[0]!.toSorted()).toEqual(["Last Resort", expect.stringMatching(/^Noto Sans/)]);
});

test("[FNT5] a text, a ticker, a clock and a feed are shown only once the fonts of their letters are loaded", async () => {
  await using opened = await bare.open();
  const { page, server } = opened;
  const fonts = await holdBack(page, fontFiles);
  const items = [
    words("Text", { font_family }),
    item({ type: "ticker", text: "Ticker", font_family }),
    item({ type: "clock", timezone: "UTC", font_family }),
    item({ ...feed, entries: [{ title: "Entry", summary: "", published_at: null }] }),
  ];
  const shown = present(opened, items);
  await fonts.asked;
  const frames =
    "new Promise((done) => { let left = 20; const next = () => (left-- > 0 ? requestAnimationFrame(next) : done()); next(); })";
  await page.evaluate(frames);
  expect(server.messages.filter(({ type }) => type === "presented")).toEqual([]);
  fonts.release();
  await shown;
  for (const selector of [".words", ".round", ".face", ".card"]) {
    for (const names of await fontsOf(opened, selector)) expect([selector, names[0]]).toEqual([selector, expect.stringMatching(/^Oswald/)]);
  }
});

test("[FNT6] a font that is missing or does not arrive in time does not keep an item off the screen, and is reported", async () => {
  await using opened = await bare.open();
  const { page, server } = opened;
  await page.route(/playfair-display-latin-.*woff2$/, (route) => route.fulfill({ status: 404 }));
  await page.route(/oswald-latin-.*woff2$/, () => {}); // never answered
  await page.route(/jp-.*css$/, (route) => route.fulfill({ status: 404 }));
  await page.route(/kr-.*css$/, () => {});
  // No picture: Playwright would wait for the fonts.
  await present(opened, [
    words("Lost", { font_family: "playfair" }),
    words("Late", { font_family: "oswald" }),
    words("本日", { locale: "ja" }),
    words("營業", { locale: "ko" }),
  ]);
  const flaws = server.messages.filter((message) => message.type === "flawed");
  expect(flaws.map(({ code, detail }) => `${code}: ${/font (.*) could/.exec(detail)?.[1]}`).toSorted()).toEqual([
    "font-missing: Noto Sans JP",
    "font-missing: Noto Sans KR",
    "font-missing: Oswald",
    "font-missing: Playfair Display",
  ]);
  const used = await fontsOf(opened);
  expect(used[0]).toEqual([expect.stringMatching(/^Noto Serif/)]);
  expect(used[2]).toEqual([expect.stringMatching(/^Noto Sans SC/)]);
});

test("[FNT12] a text whose fonts come too late is laid out for them when they are there", async () => {
  await using late = await bare.open();
  await using inTime = await bare.open();
  const fonts = await holdBack(late.page, fontFiles);
  const items = [
    words("Sale 2026", { font_family, font_size: null }),
    words("A text that is too long ".repeat(20), { font_family }),
    item({ type: "ticker", text: "Ticker", font_family }),
    // Its label alone is text: the width of digits depends on the time.
    item({ type: "clock", timezone: "UTC", face: "analog", label: "The public library", font_family }),
    item({ ...feed, entries: [{ title: "An entry ".repeat(9), summary: "", published_at: null }] }),
  ];
  const sizes = ({ page }: OpenedPage) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll(".words, .round, .face, .card")].map((each) => [each.className, getComputedStyle(each).fontSize, each.offsetWidth, each.offsetHeight].join(" "))`,
    );
  await Promise.all([present(inTime, items), present(late, items)]);
  const [wanted, before] = await Promise.all([sizes(inTime), sizes(late)]);
  // In the next font of the family's list each of them has another size.
  expect(wanted.filter((each, at) => each === before[at])).toEqual([]);
  fonts.release();
  await expect.poll(() => sizes(late)).toEqual(wanted);
});

test("[FNT7] an SVG is drawn in shipped fonts whatever it names, keeps those that it brings, and names that nobody has are reported", async () => {
  const [without, beside] = await Promise.all([bare.shared(), installed.shared()]);
  await Promise.all(
    [without, beside].map(async ({ server, page }) => {
      const errors: string[] = [];
      page.on("console", (message) => errors.push(message.text()));
      const play = slot(item({ type: "image", src: "/media/words.svg", is_svg: true }), server.now() - 100, long);
      server.draw(stage([zone([play])]));
      await server.waitForMessage("presented", ({ key }) => key === play.key);
      const { detail } = await server.waitForMessage("flawed", ({ code }) => code === "font-missing");
      expect(detail).toMatch(/names the font Open Sans, which .* sans-serif/);
      expect(errors).toEqual([]);
    }),
  );
  const picture = await samePicture(without, beside);
  // Each line has letters.
  for (const y of [60, 120, 180, 240, 300, 360])
    expect(picture.subarray(3 * 960 * (y - 30), 3 * 960 * y).some((value) => value > 200)).toBe(true);
});

test("[FNT8] the player's own screens are drawn in shipped fonts, the same with and without installed fonts", async () => {
  const drawn = await Promise.all(
    [await bare.open(), await installed.open()].map(async (opened) => {
      await using _closed = opened;
      const pairing = {
        is: "pairing",
        code: "WDJB-MJHT",
        claim_url: null,
        service: "https://例え.example",
        notice: "Välkommen",
        trouble: null,
      } as const;
      opened.server.draw({ screen: pairing, identify: null });
      await opened.server.waitForMessage("screen", ({ code }) => code === "WDJB-MJHT");
      const places = '[...document.querySelectorAll(".pairing *")].map((each) => JSON.stringify(each.getBoundingClientRect()))';
      return { places: await opened.page.evaluate<string[]>(places), fonts: (await fontsOf(opened, "body")).flat() };
    }),
  );
  expect(drawn[0]!.fonts.filter((name) => /installed|Last Resort/.test(name))).toEqual([]);
  expect(drawn[0]!.places.length).toBeGreaterThan(10);
  expect(drawn[0]).toEqual(drawn[1]);
});

test("[FNT11] the rules of Chinese, Japanese and Korean fonts are loaded when a text has letters for them; the screen stays as it is until then", async () => {
  await using opened = await bare.open();
  const { page, server } = opened;
  const sheets = await holdBack(page, /(?:sc|tc|jp|kr)-[\w-]+\.css$/);
  const { scene, keys } = texts([words("Grüße 😀"), words("مرحبا")], server.now());
  server.draw(scene);
  for (const wanted of keys) await server.waitForMessage("presented", ({ key }) => key === wanted);
  expect(sheets.urls).toEqual([]);
  const before = await pixels(page);
  const loaded = 'const loaded = [...document.fonts].filter(({ status }) => status === "loaded");';
  await page.evaluate(`${loaded} window.loadedBefore = loaded`);
  server.draw({ ...scene, identify: { player_name: "骨の間", lines: [], until: server.now() + long } });
  await sheets.asked;
  expect((await pixels(page)).equals(before)).toBe(true);
  sheets.release();
  await page.locator(".identify .name").waitFor();
  expect((await fontsOf(opened, ".identify .name")).flat()).toEqual([expect.stringMatching(/^Noto Sans SC/)]);
  expect(sheets.urls.map((url) => /(\w\w)-[\w-]+\.css$/.exec(url)![1])).toEqual(["sc"]);
  // Fonts that were loaded are not loaded again, which would blank the texts on the screen.
  expect(
    await page.evaluate(`${loaded} window.loadedBefore.length > 2 && window.loadedBefore.every((face) => loaded.includes(face))`),
  ).toBe(true);
});

test("[FNT9] a family that the player does not ship is refused with the names of those that it does, and what to do instead", () => {
  const { error } = NewPlaylistItem.safeParse({ type: "text", text: "x", font_family: "Arial" });
  expect(error!.issues[0]).toMatchObject({ path: ["font_family"], message: expect.stringMatching(/sans, .*oswald.*SVG.*paths.*bundle/) });
});

test("[FNT10] the shipped packages are those of package.json, each with its licence, which the page has too", async () => {
  const read = async (path: string): Promise<string> => readFile(join(rootFolder, path), "utf8");
  const { devDependencies } = JSON.parse(await read("package.json")) as { devDependencies: Record<string, string> };
  expect(fontPackages.toSorted()).toEqual(
    Object.keys(devDependencies)
      .filter((name) => name.startsWith("@fontsource"))
      .toSorted(),
  );
  const inPage = await readFile(join(bare.rendererFolder, "player/font-licenses.txt"), "utf8");
  for (const name of fontPackages) {
    const { license } = JSON.parse(await read(`node_modules/${name}/package.json`)) as { license: string };
    expect([name, license]).toEqual([name, expect.stringMatching(/^(?:OFL-1\.1|Apache-2\.0)$/)]);
    const text = await read(`node_modules/${name}/LICENSE`);
    expect(text).toMatch(/OPEN FONT LICENSE|Apache License/i);
    expect(inPage).toContain(`${name.split("/")[1]!}${license === "OFL-1.1" ? `: ${text.split("\n")[0]!.trim()}` : ""}\n`);
  }
});
