// Compares the console's preview with screenshots of a real player, which gets content of every kind from the service.
import { expect } from "vitest";
import { loopEpochMs } from "../../../src/protocol/device/desired-state.ts";
import { startClockedPlayer } from "../../support/clocked-player.ts";
import { desktop, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { eventually } from "../../support/polling.ts";
import { SteeredClock } from "../../support/steered-clock.ts";
import { at, previewOf, type Comparison } from "./comparison.ts";
import { differingPixels, placeIn } from "./differing-pixels.ts";
import { everyKind, kinds, startPublisher, videoFps, videoSeconds } from "./every-kind.ts";
import { pictureWithFrame } from "./pictures.ts";
import { patienceMs, stoppedAt, type Size } from "./player-page.ts";
import { takeScreenshot } from "./screenshots.ts";

/** One service, one window of the console and one player with a screen of this size, all by a clock at which the instant comes. */
export async function startScreenComparison(panel: Size): Promise<Comparison> {
  await using opened = new AsyncDisposableStack();
  const clock = new SteeredClock();
  clock.moveTo(at);
  const [browser, service, publisher] = await Promise.all([
    startBrowser(),
    startConsoleService({ allowAddresses: ["127.0.0.1"], clock }),
    startPublisher(),
  ]);
  opened.use(publisher);
  opened.use(service);
  opened.defer(() => browser.close());
  const player = opened.use(await startClockedPlayer(service.service.url, panel, clock));
  const content = await everyKind(service, publisher.url);
  const { body: paired } = await service.call("POST", "players/pair", { code: await player.pairingCode(), name: "Lobby" });
  const playerId = String(paired.id);
  // The page shown in the console reads the machine's clock only to say what is now.
  const window = await Window.open(browser, { ...desktop, viewport: { width: 1_440, height: Math.max(900, panel.width) } });
  await window.signIn(service);
  const disposal = opened.move();

  /** Lets the player show what is published, as if the instant had come now. */
  async function showAtInstant(): Promise<void> {
    const { body } = await service.call("GET", `players/${playerId}`);
    await eventually(async () => (await service.call("GET", `players/${playerId}`)).body.applied_revision === body.desired_revision);
    clock.moveTo(at);
    const from = player.lines.length;
    // Its page would notice within ten seconds that the clock was set.
    await service.call("POST", `players/${playerId}/commands`, { type: "reload" });
    await eventually(() => {
      const presented = player.lines.slice(from).filter(({ msg }) => msg === "presented");
      return new Set(presented.map(({ zone_id }) => zone_id)).size >= kinds.length;
    });
  }

  return {
    async differences({ layout: size, orientation = "landscape", wall, view }) {
      const layout = await content.layoutOf(size.width, size.height);
      const settings = { orientation, wall: wall ?? null, timezone: "Europe/Berlin" };
      await service.call("PATCH", `players/${playerId}`, { layout_id: layout.id, ...settings });
      const video = placeIn(
        view,
        layout.zones.find(({ name }) => name === "video")!,
      );
      // Of its loop, which the video alone fills.
      const positionS = ((at - loopEpochMs) / 1_000) % videoSeconds;
      const frame = Math.floor(positionS * videoFps);
      const take = async (): Promise<Buffer> => {
        await player.evaluate(stoppedAt(at, positionS));
        return takeScreenshot(service, playerId);
      };
      let shown: Buffer = Buffer.alloc(0);
      // The clock on the screen has no seconds: the picture is right within the minute.
      const isInMinute = async (): Promise<boolean> => {
        await showAtInstant();
        shown = await pictureWithFrame(take, video, frame);
        return clock.now() < at + 59_000;
      };
      await expect.poll(isInMinute, { timeout: 3 * patienceMs }).toBe(true);
      const preview = await previewOf(window, service, { playerId, panel, orientation, video, frame });
      return differingPixels(preview, shown, layout.zones, view);
    },
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  };
}
