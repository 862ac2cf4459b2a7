// Creates the element for an item of the scene, by the module for its kind.
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

/** Creates an item of any kind. It is not prepared yet. */
export function createItem(item: SceneItem, context: ItemContext): Item {
  switch (item.type) {
    case "image":
      return createImage(item, context);
    case "video":
      return createVideo(item, context);
    case "audio":
      return createAudio(item, context);
    case "text":
      return createText(item, context);
    case "ticker":
      return createTicker(item, context);
    case "clock":
      return createClockFace(item, context);
    case "qr":
      return createQr(item, context);
    case "feed":
      return createFeed(item, context);
    case "pdf":
      return createPdf(item, context);
    case "stream":
      return createStream(item, context);
    case "web":
      return createWeb(item, context);
    case "html":
      return createHtml(item, context);
    case "capture":
      return createCapture(item, context);
  }
}
