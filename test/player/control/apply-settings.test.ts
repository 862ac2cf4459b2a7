// Applies what was asked for to a display in memory: at start and when a display is connected.
import { pino } from "pino";
import { expect, test } from "vitest";
import { applySettings } from "../../../src/player/control/apply-settings.ts";
import type { AskedSettings } from "../../../src/player/control/asked-settings.ts";
import { FakeClock } from "../../support/clock.ts";
import { fakeDisplay } from "../../support/fake-display.ts";
import { eventually } from "../../support/polling.ts";

function start(asked: AskedSettings, display = fakeDisplay()) {
  const stop = new AbortController();
  const warnings: string[] = [];
  const log = pino({ level: "warn" }, { write: (line) => void warnings.push(`${JSON.parse(line).setting}: ${JSON.parse(line).reason}`) });
  const running = applySettings(
    { controls: display.controls, asked: () => asked, onFound: () => undefined, clock: new FakeClock(), log },
    stop.signal,
  );
  const ended = expect(running).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
  return {
    ...display,
    warnings,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

test("[DSP14] what was asked for is applied at start and after a display was connected, and nothing else", async () => {
  await using player = start({ rotation: 90, mode: { width: 1280, height: 720 }, brightness: 30, volume: 10 });
  await eventually(() => player.volume.value === 10);
  expect([player.rotation.value, player.mode.value, player.brightness.value]).toEqual([90, { width: 1280, height: 720 }, 30]);
  expect(player.input.sets).toEqual([]);
  // A display that is connected again starts unrotated. Its mode is as it was: to set it again would make it dark.
  player.rotation.value = 0;
  player.plug();
  await eventually(() => player.rotation.value === 90);
  player.brightness.value = 80;
  player.plug();
  await eventually(() => player.brightness.value === 30);
  expect(player.rotation.sets).toEqual([90, 90]);
  expect(player.mode.sets).toHaveLength(1);
  expect(player.warnings).toEqual([]);
});

test("[DSP14] what cannot be applied is logged once, and the rest is applied", async () => {
  const display = fakeDisplay();
  display.mode.fault = { reason: "wlr-randr: failed to apply configuration" };
  display.rotation.fault = "lies";
  await using player = start({ rotation: 90, mode: { width: 1280, height: 720 }, brightness: 30, muted: true }, display);
  await eventually(() => player.warnings.length === 3);
  expect(player.brightness.value).toBe(30);
  const reasons = [
    "display.mode: wlr-randr: failed to apply configuration",
    "display.rotation: fake-tool accepted 90, but the display still has 0",
    "audio.muted: nothing on this machine can set it at present",
  ];
  expect(player.warnings).toEqual(reasons);
  player.plug();
  await eventually(() => player.rotation.sets.length === 2);
  player.rotation.fault = null;
  player.plug();
  await eventually(() => player.rotation.value === 90);
  expect(player.warnings).toEqual(reasons);
});
