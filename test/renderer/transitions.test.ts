// Transitions on a real Chromium: what stands on the glass midway, when they begin and end, and when they are left out.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Scene, SceneItem, Slot } from "../../src/protocol/scene.ts";
import type { Transition } from "../../src/protocol/transition.ts";
import { type Bench, image, isNear, type Opened, readGlass, row, stage, startBench, text, video, zone } from "./harness.ts";

// A real browser on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const long = 600_000;
const durationMs = 4_000;

function moving(type: Transition["type"], about: Partial<Transition> = {}): Transition {
  return { type, duration_ms: durationMs, easing: "linear", direction: "left", ...about };
}

/** Red, then another item that comes in by `transition`; resolves in the middle of it, held there for the camera. */
async function halfway(opened: Opened, next: SceneItem, transition: Transition, first = image("red.png")): Promise<void> {
  const { page, server } = opened;
  const slots = row(server.now() - 100, [
    [first, 2_000],
    [next, long],
  ]);
  slots[1]!.transition = transition;
  server.draw(stage([zone(slots)]));
  await server.heard("presented", ({ key }) => key === slots[1]!.key, { timeoutMs: 20_000 });
  // The picture may take long; the transition waits at its middle.
  await hold(page, transition.duration_ms / 2);
}

async function hold(page: Opened["page"], atMs: number): Promise<void> {
  await expect.poll(() => page.evaluate<number>("document.getAnimations().length")).toBe(2);
  await page.evaluate(`for (const a of document.getAnimations()) { a.pause(); a.currentTime = ${atMs}; }`);
}
