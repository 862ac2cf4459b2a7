// Content of every kind that previews draw, in one layout with a zone for each.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import sharp from "sharp";
import { parseFeed } from "../../../src/feeds/parse-feed.ts";
import type { TestService } from "../../service/harness.ts";
import { numberedVideo, plainImage } from "../../support/media/media.ts";
import { pdfOf } from "../../support/media/pdf.ts";

const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="40" height="20" fill="#264653"/><circle cx="20" cy="10" r="8" fill="#e9c46a"/><path d="M4 16 20 4l16 12" fill="none" stroke="#e76f51"/></svg>';
const feedText =
  '<?xml version="1.0"?><rss version="2.0"><channel><title>Stadtbl\u00e4ttle</title><item><title>Wochenmarkt &amp; Flohmarkt</title><description>Samstag ab acht Uhr auf dem Rathausplatz, auch bei Regen.</description><pubDate>Sat, 28 Nov 2026 08:00:00 GMT</pubDate></item></channel></rss>';

/** The bytes of the files, by the path of their asset. */
export type Files = ReadonlyMap<string, { bytes: Buffer; mimeType: string }>;

/** A layout with a zone for each kind. */
interface LayoutOfKinds {
  id: string;
  zones: readonly { name: Kind; left: number; top: number; width: number; height: number }[];
}

export const kinds = ["image", "photo", "video", "svg", "pdf", "text", "ticker", "clock", "qr", "feed"] as const;
/** Of the video, whose frames carry their numbers. */
export const videoFps = 10;
export const videoSeconds = 7;
type Kind = (typeof kinds)[number];

/** A publisher of one feed, on this machine. */
export async function startPublisher(): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((_request, response) => response.writeHead(200, { "content-type": "application/rss+xml" }).end(feedText));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/news.xml`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Uploads the files and makes the playlists once. Its layouts are made from them in any size. */
export async function everyKind(service: TestService, feedUrl: string) {
  const files = new Map<string, { bytes: Buffer; mimeType: string }>();
  const upload = async (bytes: Buffer, mimeType: string): Promise<string> => {
    const { body } = await service.upload(bytes, mimeType);
    files.set(`/media/${body.sha256}`, { bytes, mimeType });
    return body.id;
  };
  const noise = { type: "gaussian", mean: 120, sigma: 60 } as const;
  const photo = sharp({ create: { width: 900, height: 700, channels: 3, noise, background: "#000" } });
  const pages = pdfOf([
    [40, 90, 160],
    [160, 90, 40],
  ]);
  // So long that nothing changes while a slow machine draws it.
  const long = { duration_ms: 600_000 };
  const items: Record<Kind, object> = {
    image: { type: "image", asset_id: await upload(await plainImage([200, 60, 40]), "image/png"), ...long },
    photo: { type: "image", asset_id: await upload(await photo.png().toBuffer(), "image/png"), fit: "cover", ...long },
    svg: { type: "image", asset_id: await upload(Buffer.from(svg), "image/svg+xml"), fit: "contain", ...long },
    video: { type: "video", asset_id: await upload(await numberedVideo(videoSeconds, videoFps), "video/mp4"), fit: "fill" },
    pdf: { type: "pdf", asset_id: await upload(pages, "application/pdf"), page_duration_ms: 300_000, ...long },
    text: { type: "text", text: "Mittagstisch\nשלום, 世界 🍲", ...long },
    // 12.5 ms for each pixel.
    ticker: { type: "ticker", text: "Heute: Linsensuppe mit Brot, danach Apfelkuchen", speed_px_s: 80, ...long },
    clock: { type: "clock", date: true, seconds: false, ...long },
    qr: { type: "qr", data: "https://example.com/menu", ...long },
    feed: { type: "feed", url: feedUrl, entry_duration_ms: 600_000, ...long },
  };
  const playlists: { name: Kind; playlist_id: string }[] = [];
  for (const name of kinds) {
    const { body } = await service.call("POST", "playlists", { name, items: [items[name]] });
    playlists.push({ name, playlist_id: body.id });
  }
  const { title, entries } = await parseFeed(feedText, AbortSignal.timeout(10_000));
  return {
    files: files as Files,
    feedContent: () => ({ title, entries, trouble: null }),
    async layoutOf(width: number, height: number): Promise<LayoutOfKinds> {
      const columns = width > height ? 4 : 2;
      const rows = Math.ceil(kinds.length / columns);
      const size = { width: Math.floor(width / columns), height: Math.floor(height / rows) };
      const zones = playlists.map((each, index) => {
        const place = { left: (index % columns) * size.width, top: Math.floor(index / columns) * size.height };
        return { ...each, ...place, ...size };
      });
      const { body } = await service.call("POST", "layouts", { name: "Every kind", width, height, zones });
      return { id: body.id, zones };
    },
  };
}
