// Compares the console's preview with the player's page: content of every kind, on one screen that stands in different ways.
import sharp from "sharp";
import { expect } from "vitest";
import { previewContentOf } from "../../../renderer/console/preview/content.ts";
import { PreviewPlayback } from "../../../renderer/console/preview/playback.ts";
import { rotationOf, type Orientation } from "../../../src/protocol/content/orientation.ts";
import type { Wall } from "../../../src/protocol/content/wall.ts";
import type { TestService } from "../../service/harness.ts";
import { desktop, startBrowser, startConsoleService, Window } from "../../support/console/console.ts";
import { differingPixels, placeIn, type Place, type View } from "./differing-pixels.ts";
import { everyKind, startPublisher, videoFps } from "./every-kind.ts";
import { enlargePreview, pairScreen, pictureWithFrame, previewPath } from "./pictures.ts";
import { PlayerPage, videoPositionIn, type Size } from "./player-page.ts";

// In the middle of a frame of the video, and when the line of the ticker lies on whole pixels, also on the wall below. Between them, the
// letters of a line that runs are smoothed as the compositor moves it, and those of one that stands still as they are drawn.
export const at = Date.parse("2026-12-01T09:00:00.550Z");

/** How the screen stands, and the size of its layout. */
export interface Stand {
  layout: Size;
  orientation?: Orientation;
  wall?: Wall;
  /** Which part of the layout is to be seen. */
  view: View;
}

export interface Comparison extends AsyncDisposable {
  /** How many pixels of each kind, and beside them, differ between the preview and the player's page. */
  differences(stand: Stand): Promise<Record<string, number>>;
}

/** The whole layout, pixel by pixel. */
export const wholeLayout: View = { left: 0, top: 0, scale: 1 };

/** One service, one window of the console and one page of the player, for a screen with this panel. */
export async function startComparison(panel: Size): Promise<Comparison> {
  await using opened = new AsyncDisposableStack();
  const [browser, service, publisher] = await Promise.all([
    startBrowser(),
    startConsoleService({ allowAddresses: ["127.0.0.1"] }),
    startPublisher(),
  ]);
  opened.use(publisher);
  opened.use(service);
  opened.defer(() => browser.close());
  const content = await everyKind(service, publisher.url);
  const playerId = await pairScreen(service, panel);
  // High enough for the preview of the panel when it stands upright.
  const window = await Window.open(browser, { ...desktop, viewport: { width: 1_440, height: Math.max(900, panel.width) } });
  await window.signIn(service);
  const playerPage = await PlayerPage.open(browser, panel, content.files);
  opened.use(playerPage);
  const disposal = opened.move();
  return {
    async differences({ layout: size, orientation = "landscape", wall, view }) {
      const layout = await content.layoutOf(size.width, size.height);
      const settings = { orientation, wall: wall ?? null, timezone: "Europe/Berlin" };
      await service.call("PATCH", `players/${playerId}`, { layout_id: layout.id, ...settings });
      const { body } = await service.call("GET", `players/${playerId}/desired-state`);
      const { scene } = new PreviewPlayback(previewContentOf(body), content.feedContent).sceneAt(at);
      const video = placeIn(
        view,
        layout.zones.find(({ name }) => name === "video")!,
      );
      const frame = Math.floor(videoPositionIn(scene, at) * videoFps);

      const preview = await previewOf(window, service, { playerId, panel, orientation, video, frame });

      const rotation = rotationOf(orientation);
      const turned = async (): Promise<Buffer> =>
        sharp(await playerPage.picture())
          .rotate(-rotation)
          .png({ compressionLevel: 0 })
          .toBuffer();
      await playerPage.show({ ...scene, rotation }, at);
      const shown = await pictureWithFrame(rotation === 0 ? () => playerPage.picture() : turned, video, frame);
      return differingPixels(preview, shown, layout.zones, view);
    },
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  };
}

/** A picture of the preview of a screen at {@link at}, upright. */
export async function previewOf(
  window: Window,
  service: TestService,
  { playerId, panel, orientation, video, frame }: { playerId: string; panel: Size; orientation: Orientation; video: Place; frame: number },
): Promise<Buffer> {
  const upright = orientation.startsWith("portrait") ? { width: panel.height, height: panel.width } : panel;
  await window.page.goto(service.service.url + previewPath(playerId, at));
  await enlargePreview(window, upright);
  const preview = await pictureWithFrame(() => window.page.screenshot({ clip: { x: 0, y: 0, ...upright } }), video, frame);
  expect(window.errors).toEqual([]);
  return preview;
}
