// Publishes the content of the hour: a layout with its own mark for each cause, and a web page whose server can be stopped.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hexOf, plainImage } from "../../test/support/media/media.ts";
import type { Api } from "../../test/support/programs/programs.ts";
import { colouredPage } from "../../test/support/network/web-server.ts";
import { type Item, itemColors, type LayoutName, markColors } from "./screen.ts";

/** The published ids by the names that the screen log uses. */
export interface Content {
  layoutIds: ReadonlyMap<LayoutName, string>;
  /** The assets of items and marks. */
  assetIds: ReadonlyMap<string, string>;
}

/** The limit and duration of the item with a play limit. */
export const limitedItem = { playsPerHour: 60, durationMs: 1_500 };

const durationsMs: Record<Item, number> = { red: 2_300, green: 1_700, blue: 2_900, limited: limitedItem.durationMs, web: 2_100 };
const markMs = 10_000;

/** A web server that can be stopped and restarted at the same address. */
export class TestWebsite implements AsyncDisposable {
  #server = createServer();
  #port = 0;

  get url(): string {
    return `http://127.0.0.9:${this.#port}/`;
  }

  async open(): Promise<void> {
    const page = colouredPage(`#${hexOf(itemColors.web)}`);
    this.#server = createServer((_request, response) => response.writeHead(200, { "content-type": "text/html" }).end(page));
    this.#server.listen(this.#port, "127.0.0.9");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Stops accepting connections. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.closeAllConnections();
    this.#server.close();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Publishes the layouts. `home` has the limited item and the web page; all other layouts share one playlist. */
export async function publishHour(api: Api, site: TestWebsite): Promise<Content> {
  const assetIds = new Map<string, string>();
  for (const [name, color] of Object.entries({ ...itemColors, ...markColors })) {
    if (name !== "web") assetIds.set(name, await api.upload(`${name}.png`, await plainImage(color)));
  }
  const image = (name: Item) => ({ type: "image", asset_id: assetIds.get(name), duration_ms: durationsMs[name], fit: "fill" });
  const playlist = async (name: string, items: Record<string, unknown>[]) => (await api.ok("POST", "playlists", { name, items })).id;
  const shared = await playlist("shared", [image("red"), image("green"), image("blue")]);
  const own = await playlist("home", [
    image("red"),
    { ...image("limited"), max_plays_per_hour: limitedItem.playsPerHour },
    image("green"),
    { type: "web", url: site.url, duration_ms: durationsMs.web },
  ]);
  const layoutIds = new Map<LayoutName, string>();
  const half = { top: 0, width: 960, height: 1080, z_index: 0 };
  for (const name of Object.keys(markColors) as LayoutName[]) {
    const mark = await playlist(name, [{ type: "image", asset_id: assetIds.get(name), duration_ms: markMs, fit: "fill" }]);
    const zones = [
      { ...half, name: "left", left: 0, playlist_id: name === "home" ? own : shared },
      { ...half, name: "right", left: 960, playlist_id: mark },
    ];
    layoutIds.set(name, (await api.ok("POST", "layouts", { name, width: 1920, height: 1080, background_color: "#000000", zones })).id);
  }
  return { layoutIds, assetIds };
}
