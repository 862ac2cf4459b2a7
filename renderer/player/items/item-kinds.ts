// The kinds of items on the page: how each is drawn, and how it fails and follows itself.
import type { SceneItem } from "../../../src/protocol/scene.ts";
import { createAudio } from "./media/audio.ts";
import { createCapture } from "./image/capture.ts";
import { createClockFace } from "./clock/clock.ts";
import { createFeed } from "./text/feed.ts";
import { createHtml } from "./web/html.ts";
import { createImage } from "./image/image.ts";
import type { Item, ItemContext } from "./item.ts";
import { createPdf } from "./pdf/pdf.ts";
import { createQr } from "./qr.ts";
import { createStream } from "./stream/stream.ts";
import { createText } from "./text/text.ts";
import { createTicker } from "./text/ticker.ts";
import { createVideo } from "./media/video.ts";
import { createWeb } from "./web/web.ts";

/** A kind of item on the page. */
interface ItemKind<I extends SceneItem = SceneItem> {
  create(item: I, context: ItemContext): Item;
  /** It runs code in a process of its own, which may crash together with that of other items. */
  runsCode?: true;
  /** It is likely to come back soon after a failure, unlike a broken file. */
  recovers?: true;
  /** It starts anew with each slot, also when an equal item follows. */
  restarts?: true;
}

const kinds: { readonly [T in SceneItem["type"]]: ItemKind<Extract<SceneItem, { type: T }>> } = {
  image: { create: createImage },
  video: { create: createVideo, restarts: true },
  audio: { create: createAudio },
  text: { create: createText },
  ticker: { create: createTicker },
  clock: { create: createClockFace },
  qr: { create: createQr },
  feed: { create: createFeed },
  pdf: { create: createPdf },
  stream: { create: createStream, recovers: true },
  web: { create: createWeb, runsCode: true },
  html: { create: createHtml, runsCode: true },
  capture: { create: createCapture },
};

/** The kind of an item of the scene. */
export function kindOf({ type }: SceneItem): ItemKind {
  return kinds[type];
}
