// The text screens on a real Chromium, in both orientations.
import { describe, expect, test } from "vitest";
import type { Page } from "playwright";
import type { Scene, Screen } from "../../src/protocol/scene.ts";
import { image, consecutiveSlots, stage, zone } from "./scenes.ts";
import { colors, isNear, readScreen } from "./screen.ts";
import { poll, useTestBrowser } from "./setup.ts";

const orientations = [
  ["landscape", 1280, 720],
  ["portrait", 720, 1280],
] as const;

const trouble = {
  code: "dns",
  text: "The name signage.example.com cannot be found. Check the network cable and the DNS server.",
} as const;

function pairing(overrides: Partial<Extract<Screen, { is: "pairing" }>> = {}): Scene {
  return {
    screen: {
      is: "pairing",
      code: "WDJB-MJHT",
      claim_url: null,
      service: "https://signage.example.com",
      device: "192.168.178.123 · 2001:db8:1234:5678:9abc:def0:1234:5678 · signage-player 1.10.0",
      notice: null,
      trouble: null,
      ...overrides,
    },
    identify: null,
  };
}

const browser = useTestBrowser();

describe.each(orientations)("%s", (_name, width, height) => {
  test("[PAG1] the pairing code is readable from across the room; QR code, problem, countdown and notice are inside the screen", async () => {
    await using opened = await browser.openDriven(width, height);
    const { page, server, time } = opened;
    const retryAt = server.now() + 50_000;
    server.draw(
      pairing({
        claim_url: "https://signage.example.com/claim?code=WDJB-MJHT",
        notice: "This screen was removed",
        trouble: { ...trouble, retry_at: retryAt },
      }),
    );
    const shown = await server.waitForMessage("screen", ({ is }) => is === "pairing");
    expect(shown.code).toBe("WDJB-MJHT");
    const code = page.locator(".code");
    expect(await code.textContent()).toBe("WDJB-MJHT");
    const box = (await code.locator(".group").first().boundingBox())!;
    const last = (await code.locator(".group").last().boundingBox())!;
    expect((last.x + last.width - box.x) / width).toBeGreaterThan(0.6);
    expect(box.height / Math.min(width, height)).toBeGreaterThan(0.2);
    for (const selector of [".code", ".qr svg", ".trouble", ".notice", ".how", ".foot", ".title"]) {
      const inside = (await page.locator(selector).boundingBox())!;
      expect(inside.x, selector).toBeGreaterThanOrEqual(0);
      expect(inside.y, selector).toBeGreaterThanOrEqual(0);
      expect(inside.x + inside.width, selector).toBeLessThanOrEqual(width);
      expect(inside.y + inside.height, selector).toBeLessThanOrEqual(height);
    }
    expect(await overlaps(page, [".title", ".notice", ".code", ".how", ".trouble", ".claim", ".foot"])).toEqual([]);
    const now = server.now();
    const [left, soon] = [now, now + 40].map((at) => Math.ceil((retryAt - at) / 1_000)) as [number, number];
    const retry = page.locator(".retry");
    // It is drawn anew each second, by the page's clock, which may be up to 40 ms ahead.
    expect([soon, left, left + 1].map((seconds) => `Next attempt in ${seconds} s`)).toContain(await retry.textContent());
    await poll(time, () => retry.textContent()).toBe(`Next attempt in ${left - 2} s`);
  });

  test("[ENR24] the reason why a player was not enrolled is beside the code; while it enrols there is no code", async () => {
    await using opened = await browser.open(width, height);
    const { page, server } = opened;
    const text =
      "Not enrolled: The enrolment key “Spring delivery” (…aB3x) has created all its 250 players: raise its max_count, or pair by code";
    server.draw(pairing({ claim_url: "https://signage.example.com/claim?code=WDJB-MJHT", enrolment: { is: "failed", text } }));
    await page.locator(".enrolment", { hasText: text }).waitFor();
    expect(await overlaps(page, [".title", ".code", ".how", ".enrolment", ".claim", ".foot"])).toEqual([]);
    server.draw(pairing({ code: null, enrolment: { is: "trying", text: "Enrolling with the service …" } }));
    await page.locator(".enrolment", { hasText: "Enrolling" }).waitFor();
    expect(await page.locator(".code").isVisible()).toBe(false);
  });
});

test("[PAG2] a pairing code is reported once a frame with it was presented; a new code is reported again; the QR code follows the URL", async () => {
  await using opened = await browser.open();
  const { page, server } = opened;
  server.draw(pairing({ code: null }));
  await server.waitForMessage("screen", ({ is, code }) => is === "pairing" && code === null);
  expect(await page.locator(".qr").isVisible()).toBe(false);
  server.draw(pairing({ code: "BCDF-GHJK", claim_url: "https://signage.example.com/claim" }));
  await server.waitForMessage("screen", ({ code }) => code === "BCDF-GHJK");
  expect(await page.locator(".qr svg path").count()).toBe(1);
  expect(await page.locator(".code").textContent()).toBe("BCDF-GHJK");
});

test("[FST8] the pairing screen shows the device's addresses and version", async () => {
  await using opened = await browser.open();
  const { page, server } = opened;
  server.draw(pairing());
  await server.waitForMessage("screen", ({ is }) => is === "pairing");
  const foot = page.locator(".foot");
  expect(await foot.textContent()).toContain("192.168.178.123");
  expect(await foot.textContent()).toContain("signage-player 1.10.0");
  expect(await page.locator(".fact", { hasText: "This device" }).isVisible()).toBe(true);
});

test("[PAG3] the display is dark before anything is drawn, and a screen stays until the next one has been painted", async () => {
  await using opened = await browser.open();
  const { page, server } = opened;
  await server.waitForMessage("screen", ({ is }) => is === "starting");
  const at = await readScreen(page);
  expect(isNear(at(5, 5), [10, 13, 19], 6)).toBe(true);
  server.draw({
    screen: {
      is: "preparing",
      player_name: "Café 1",
      ready_bytes: 12_400_000,
      total_bytes: 80_000_000,
      ready_files: 3,
      total_files: 12,
      trouble: null,
      service: "http://x",
    },
    identify: null,
  });
  await server.waitForMessage("screen", ({ is }) => is === "preparing");
  expect(await page.locator(".bytes").textContent()).toBe("12.4 MB of 80.0 MB");
  server.draw({
    screen: { is: "empty", player_name: "Café 1", trouble: null, service: "http://x" },
    identify: null,
  });
  await server.waitForMessage("screen", ({ is }) => is === "empty");
  expect(await page.locator(".title").textContent()).toBe("Connected. Nothing assigned yet");
  expect(await page.locator(".layer").count()).toBe(1);
});

test.each(orientations)(
  "[DLP3] the preparing screen, %s, shows how much of the content and how many files are here",
  async (_, width, height) => {
    await using opened = await browser.open(width, height);
    const { page, server } = opened;
    const counts = { ready_bytes: 212_400_000, total_bytes: 1_280_000_000, ready_files: 3, total_files: 12 };
    const screen = { is: "preparing", player_name: "Café 1", service: "https://signage.example.com", ...counts } as const;
    server.draw({ screen: { ...screen, trouble: { ...trouble, retry_at: null } }, identify: null });
    await server.waitForMessage("screen", ({ is }) => is === "preparing");
    expect(await page.locator(".bytes").textContent()).toBe("212 MB of 1.3 GB");
    expect(await page.locator(".files").textContent()).toBe("3 of 12 files");
    const bar = (await page.locator(".bar").boundingBox())!;
    const doneShare = async (): Promise<number> => {
      const done = (await page.locator(".done").boundingBox())!;
      return (done.x + done.width - bar.x) / bar.width;
    };
    await expect.poll(doneShare).toBeCloseTo(212.4 / 1_280, 2);
    expect(bar.x + bar.width).toBeLessThanOrEqual(width);
    expect(await overlaps(page, [".title", ".name", ".bar", ".bytes", ".files", ".trouble", ".foot"])).toEqual([]);
    server.draw({ screen: { ...screen, ready_bytes: 0, total_bytes: 0, ready_files: 0, total_files: 0, trouble: null }, identify: null });
    await expect.poll(() => page.locator(".bytes").textContent()).toBe("Checking what is needed …");
    expect(await page.locator(".files").textContent()).toBe("");
  },
);

test("[PAG4] the identify overlay lies over the content until its time is over", async () => {
  await using opened = await browser.open();
  const { page, server } = opened;
  await server.moveClock(3_600_000);
  const content = stage([zone(consecutiveSlots(server.now() - 100, [[image("red.png"), 600_000]]))]);
  server.draw(content);
  await server.waitForMessage("presented");
  const until = server.now() + 120_000;
  server.draw({ ...content, identify: { player_name: "Café 1", lines: ["plr_1", "127.0.0.1"], until } });
  const overlay = page.locator(".identify");
  await page.locator(".identify .name").waitFor({ state: "visible" });
  expect(await overlay.textContent()).toContain("Café 1");
  await server.advanceTo(until - 60_000);
  expect(await overlay.isVisible()).toBe(true);
  await server.advanceTo(until);
  await overlay.waitFor({ state: "hidden" });
  expect(isNear((await readScreen(page))(480, 270), colors.red)).toBe(true);
});

test("[RST14] the pairing code for a new claim is shown small in a corner over the content, and disappears afterwards", async () => {
  await using opened = await browser.open();
  const { page, server } = opened;
  const content = stage([zone(consecutiveSlots(server.now() - 100, [[image("red.png"), 60_000]]))]);
  server.draw(content);
  await server.waitForMessage("presented");
  expect(await page.locator(".claim-overlay").isVisible()).toBe(false);
  server.draw({ ...content, claim: { code: "WDJB-MJHT" } });
  await page.locator(".claim-overlay").waitFor({ state: "visible" });
  expect(await page.locator(".claim-overlay").textContent()).toBe("WDJB-MJHT");
  const [box, viewport] = [(await page.locator(".claim-overlay").boundingBox())!, page.viewportSize()!];
  expect((box.width * box.height) / (viewport.width * viewport.height)).toBeLessThan(0.03);
  expect([box.x > viewport.width / 2, box.x + box.width <= viewport.width]).toEqual([true, true]);
  expect([box.y > viewport.height / 2, box.y + box.height <= viewport.height]).toEqual([true, true]);
  expect(isNear((await readScreen(page))(480, 270), colors.red)).toBe(true);
  // It is above the content.
  const middle = `${box.x + box.width / 2}, ${box.y + box.height / 2}`;
  expect(await page.evaluate(`document.elementFromPoint(${middle})?.className`)).toBe("claim-overlay");
  server.draw(content);
  await page.locator(".claim-overlay").waitFor({ state: "hidden" });
});

test.each(orientations)(
  "[REC7] withheld content, %s: title, name, cause, countdown and remedy are inside the screen",
  async (_, width, height) => {
    await using opened = await browser.openDriven(width, height);
    const { page, server } = opened;
    const text = "Showing the content made the browser fail 5 times within five minutes (the renderer ended). It is tried again by itself.";
    const remedy = "Take out the item that was added or changed last, or give it a smaller file; then send the command restart.";
    const about = { player_name: "Café 1", service: "https://signage.example.com", remedy };
    server.draw({
      screen: { is: "withheld", ...about, trouble: { code: "other", text, retry_at: server.now() + 42_000 } },
      identify: null,
    });
    await server.waitForMessage("screen", ({ is }) => is === "withheld");
    expect(await page.locator(".title").textContent()).toBe("The content is withheld");
    expect(await page.locator(".trouble").textContent()).toContain(text);
    expect(await page.locator(".retry").textContent()).toMatch(/^Next attempt in 4[12] s$/);
    expect(await page.locator(".how").textContent()).toBe(remedy);
    for (const selector of [".title", ".name", ".how", ".trouble", ".foot"]) {
      const inside = (await page.locator(selector).boundingBox())!;
      expect(inside.x, selector).toBeGreaterThanOrEqual(0);
      expect(inside.y, selector).toBeGreaterThanOrEqual(0);
      expect(inside.x + inside.width, selector).toBeLessThanOrEqual(width);
      expect(inside.y + inside.height, selector).toBeLessThanOrEqual(height);
    }
    expect(await overlaps(page, [".title", ".name", ".how", ".trouble", ".foot"])).toEqual([]);
  },
);

test.each(orientations)(
  "[NSV2] the screen without a service, %s, has the command, the file, the found services and the problem inside it",
  async (_, width, height) => {
    await using opened = await browser.open(width, height);
    const { page, server } = opened;
    const services = ["Lobby", "Café", "Test", "Fourth"].map((name) => ({
      name,
      url: "https://signage-with-a-long-name.example.com:8443",
    }));
    const screen = { is: "no-server", machine_name: "kiosk-7", command: "sudo signage-player setup", file: "signage.toml" } as const;
    const problem = "signage.toml, line 4: there is no setting “rotaton”: did you mean “rotation”?";
    server.draw({ screen: { ...screen, services, problem, device: "192.168.178.123 · signage-player 1.10.0" }, identify: null });
    await server.waitForMessage("screen", ({ is }) => is === "no-server");
    expect(await page.locator(".command").textContent()).toBe("sudo signage-player setup");
    expect(await page.locator(".content").textContent()).toContain("signage.toml");
    expect(await page.locator(".services li").count()).toBe(3);
    expect(await page.locator(".trouble").textContent()).toContain(problem);
    const parts = [".title", ".command", ".services", ".trouble", ".foot"];
    for (const selector of parts) {
      const inside = (await page.locator(selector).boundingBox())!;
      expect(inside.y, selector).toBeGreaterThanOrEqual(0);
      expect(inside.x + inside.width, selector).toBeLessThanOrEqual(width);
      expect(inside.y + inside.height, selector).toBeLessThanOrEqual(height);
    }
    expect(await overlaps(page, parts)).toEqual([]);
    server.draw({ screen: { ...screen, file: null, services: [], problem: null, device: "" }, identify: null });
    await page.locator(".trouble").waitFor({ state: "hidden" });
  },
);

test("[SCN3] the empty screen's title shows the connection and whether anything is assigned", async () => {
  await using opened = await browser.open();
  const { page, server } = opened;
  const title = page.locator(".title");
  for (const [link, is_assigned, words] of [
    ["online", false, "Connected. Nothing assigned yet"],
    ["connecting", false, "Connecting. Nothing assigned yet"],
    ["offline", true, "Not connected. Nothing to show now"],
    ["online", true, "Connected. Nothing to show now"],
  ] as const) {
    // A file that cannot be downloaded is not a lost connection.
    const screen = {
      is: "empty",
      player_name: "Lobby",
      service: "http://x",
      trouble: { ...trouble, retry_at: null },
      link,
      is_assigned,
    } as const;
    server.draw({ screen, identify: null });
    await expect.poll(() => title.textContent()).toBe(words);
  }
});

/** Pairs of elements that overlap. */
async function overlaps(page: Page, selectors: string[]): Promise<string[]> {
  const boxes = await Promise.all(selectors.map(async (name) => ({ name, box: (await page.locator(name).boundingBox())! })));
  return boxes.flatMap(({ name, box }, index) =>
    boxes
      .slice(index + 1)
      .filter(
        ({ box: other }) =>
          box.x < other.x + other.width && other.x < box.x + box.width && box.y < other.y + other.height && other.y < box.y + box.height,
      )
      .map((other) => `${name} overlaps ${other.name}`),
  );
}
