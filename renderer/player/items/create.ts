// From an item of the scene to the module that draws its kind.
import type { SceneItem } from "../../../src/protocol/scene.ts";
import { createAudio } from "./media/audio.ts";
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

/** An item of any kind, not yet prepared. */
export function createItem(item: SceneItem, around: ItemContext): Item {
  switch (item.type) {
    case "image":
      return createImage(item, around);
    case "video":
      return createVideo(item, around);
    case "audio":
      return createAudio(item, around);
    case "text":
      return createText(item, around);
    case "ticker":
      return createTicker(item, around);
    case "clock":
      return createClockFace(item, around);
    case "qr":
      return createQr(item, around);
    case "feed":
      return createFeed(item, around);
    case "pdf":
      return createPdf(item, around);
    case "stream":
      return createStream(item, around);
    case "web":
      return createWeb(item, around);
    case "html":
      return createHtml(item, around);
  }
}
