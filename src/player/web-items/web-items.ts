// The other sites that items show: tells the host which may be framed, serves bundles, and brings the page news of its frames.
import { createHash } from "node:crypto";
import type { Log } from "../../base/log.ts";
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { PlaylistItem } from "../../protocol/content/items.ts";
import type { SceneItem, Stage } from "../../protocol/scene.ts";
import { BundleServer, type ServedBundle } from "./bundle-server.ts";
import type { IframeSite, IframeEvent, Host } from "../host.ts";
import type { Surface } from "../surface/surface.ts";

type WebItem = Extract<PlaylistItem, { type: "web" }>;
type HtmlItem = Extract<PlaylistItem, { type: "html" }>;

export interface WebItemsOptions {
  host: Host;
  surface: Surface;
  /** The file behind a SHA-256, null when it is not proven. */
  media: (sha256: string) => { folder: string; name: string } | null;
  log: Log;
}

/** What is declared at a time. */
interface Declared {
  sites: readonly IframeSite[];
  bundles: readonly ServedBundle[];
}

const none: Declared = { sites: [], bundles: [] };

/** Owned by the player. */
export class WebItems implements AsyncDisposable {
  readonly #options: WebItemsOptions;
  readonly #bundles: BundleServer;
  readonly #life = new AbortController();
  #declared = none;

  private constructor(options: WebItemsOptions, bundles: BundleServer) {
    this.#options = options;
    this.#bundles = bundles;
    options.host.onIframeEvent((news) => this.#tell(news), this.#life.signal);
  }

  static async open(options: WebItemsOptions): Promise<WebItems> {
    const { media, log, surface } = options;
    const framedBy = new URL(surface.hostPage.url).origin;
    return new WebItems(options, await BundleServer.open({ media, framedBy, log }));
  }

  /** Admits the sites of `desired` instead of all others; null: none. Those of the state before stay once: they may be on the glass. */
  declare(desired: DesiredState | null): void {
    const before = desired === null ? none : this.#declared;
    this.#declared = desired === null ? none : this.#read(desired);
    const { sites, bundles } = this.#declared;
    const named = new Set(sites.map(({ id }) => id));
    this.#options.host.setIframeSites([...sites, ...before.sites.filter(({ id }) => !named.has(id))]);
    this.#bundles.serve([...bundles, ...before.bundles.filter(({ itemId }) => !named.has(itemId))]);
  }

  /** The stage with the addresses at which its bundles are served. */
  withBundleUrls(stage: Stage): Stage {
    const zones = stage.zones.map((zone) => ({
      ...zone,
      slots: zone.slots.map((slot) =>
        slot.item.type === "html" ? { ...slot, item: { ...slot.item, url: this.#bundles.urlOf(slot.item.item_id) } } : slot,
      ),
    }));
    return { ...stage, zones };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort();
    await this.#bundles[Symbol.asyncDispose]();
  }

  #read({ playlists, assets }: DesiredState): Declared {
    const items = playlists.flatMap((playlist) => playlist.items);
    const htmls = items.filter((item) => item.type === "html");
    const bundles = htmls.flatMap(({ id: itemId, asset_id, network }): ServedBundle[] => {
      const asset = assets.find(({ id }) => id === asset_id);
      return asset === undefined ? [] : [{ itemId, sha256: asset.sha256, network }];
    });
    const webs = items.filter((item) => item.type === "web").map(webSite);
    return {
      sites: [...webs, ...htmls.map(({ id }) => ({ id, url: this.#bundles.urlOf(id), headers: {}, css: null, isConfinedToOrigin: true }))],
      bundles,
    };
  }

  #tell(news: IframeEvent): void {
    const { surface, log } = this.#options;
    const death = news.is === "shown" || news.death === undefined ? {} : { death: news.death };
    const failure = news.is === "shown" ? null : { code: news.code, detail: this.#reasonOf(news), ...death };
    if (failure !== null) log.warn({ frame: news.frame, ...failure }, "a frame has nothing to show");
    surface.sendIframeResult(news.frame, failure);
  }

  #reasonOf({ frame, detail }: Extract<IframeEvent, { is: "failed" }>): string {
    const refusal = this.#bundles.rejectionOf(frame.replace(/\.[^.]*$/, ""));
    return refusal === null ? detail : `the bundle is refused: ${refusal}`;
  }
}

/** What the page is told of an item that shows another site: nothing secret. */
export function webSceneItem(item: WebItem | HtmlItem): SceneItem {
  const {
    transition: _transition,
    valid_from: _from,
    valid_until: _until,
    duration_ms: _duration,
    dayparts: _dayparts,
    max_plays_per_hour: _limit,
    max_plays_per_day: _dailyLimit,
    ...shown
  } = item;
  // Whatever is changed in what is shown, also what the page does not see, makes it another one.
  const version = createHash("sha256").update(JSON.stringify(shown)).digest("base64url").slice(0, 8);
  const { id: item_id, zoom } = item;
  if (item.type === "html") return { type: "html", item_id, asset_id: item.asset_id, version, url: "", zoom };
  return { type: "web", item_id, asset_id: null, version, url: item.url, zoom, refresh_interval_ms: item.refresh_interval_ms ?? null };
}

function webSite({ id, url, headers, basic_auth: login, css }: WebItem): IframeSite {
  const authorization = login && { Authorization: `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}` };
  return { id, url, headers: { ...authorization, ...headers }, css: css ?? null, isConfinedToOrigin: false };
}
