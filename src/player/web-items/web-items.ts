// Runs the items that show other sites: sets which sites iframes may show, serves bundles, and reports iframe failures.
import type { Log } from "../../base/log.ts";
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { Stage } from "../../protocol/scene.ts";
import { BundleServer, type ServedBundle } from "./bundle-server.ts";
import type { IframeSite, IframeEvent, Host } from "../host.ts";
import { framedItemsOf } from "../../playback/scene-item.ts";
import type { Surface } from "../surface/surface.ts";

type WebPage = ReturnType<typeof framedItemsOf>["pages"][number];

export interface WebItemsOptions {
  host: Host;
  surface: Surface;
  /** The verified file with this SHA-256; null if there is none. */
  media: (sha256: string) => { folder: string; name: string } | null;
  log: Log;
}

/** The resources that the items of one desired state need. */
interface Requirements {
  sites: readonly IframeSite[];
  bundles: readonly ServedBundle[];
}

const none: Requirements = { sites: [], bundles: [] };

export class WebItems implements AsyncDisposable {
  readonly #options: WebItemsOptions;
  readonly #bundles: BundleServer;
  readonly #closing = new AbortController();
  #current = none;

  private constructor(options: WebItemsOptions, bundles: BundleServer) {
    this.#options = options;
    this.#bundles = bundles;
    options.host.onIframeEvent((event) => this.#report(event), this.#closing.signal);
  }

  static async open(options: WebItemsOptions): Promise<WebItems> {
    const { media, log, surface } = options;
    const framedBy = new URL(surface.hostPage.url).origin;
    return new WebItems(options, await BundleServer.open({ media, framedBy, log }));
  }

  /**
   * Declares `desired` as the state to show: allows its sites in iframes and serves its bundles. Null: no sites and no bundles.
   * Otherwise those of the state before are kept until the next call, because they may still be on the screen.
   */
  declare(desired: DesiredState | null): void {
    const before = desired === null ? none : this.#current;
    this.#current = desired === null ? none : this.#requirementsOf(desired);
    const { sites, bundles } = this.#current;
    const currentIds = new Set(sites.map(({ id }) => id));
    this.#options.host.setIframeSites([...sites, ...before.sites.filter(({ id }) => !currentIds.has(id))]);
    this.#bundles.serve([...bundles, ...before.bundles.filter(({ itemId }) => !currentIds.has(itemId))]);
  }

  /** The stage with the URLs at which its bundles are served. */
  withBundleUrls(stage: Stage): Stage {
    const zones = stage.zones.map((zone) => ({
      ...zone,
      slots: zone.slots.map((slot) =>
        "url" in slot.item && slot.item.url === ""
          ? { ...slot, item: { ...slot.item, url: this.#bundles.urlOf(slot.item.item_id) } }
          : slot,
      ),
    }));
    return { ...stage, zones };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#bundles[Symbol.asyncDispose]();
  }

  #requirementsOf({ playlists, assets }: DesiredState): Requirements {
    const items = framedItemsOf(playlists);
    const bundles = items.bundles.flatMap(({ id: itemId, asset_id, network }): ServedBundle[] => {
      const asset = assets.find(({ id }) => id === asset_id);
      // A lost file is not served. Its bundle is opened anew when the file is here again.
      return asset === undefined || this.#options.media(asset.sha256) === null ? [] : [{ itemId, sha256: asset.sha256, network }];
    });
    const webSites = items.pages.map(webSite);
    const bundleSites = items.bundles.map(({ id }) => ({
      id,
      url: this.#bundles.urlOf(id),
      headers: {},
      css: null,
      isConfinedToOrigin: true,
    }));
    return { sites: [...webSites, ...bundleSites], bundles };
  }

  #report(event: IframeEvent): void {
    const { surface, log } = this.#options;
    const crash = event.is === "shown" || event.crashId === undefined ? {} : { crash_id: event.crashId };
    const failure = event.is === "shown" ? null : { code: event.code, detail: this.#detailOf(event), ...crash };
    if (failure !== null) log.warn({ frame: event.frame, ...failure }, "an iframe failed");
    surface.sendIframeResult(event.frame, failure);
  }

  #detailOf({ frame, detail }: Extract<IframeEvent, { is: "failed" }>): string {
    const rejection = this.#bundles.rejectionOf(frame.replace(/\.[^.]*$/, ""));
    return rejection === null ? detail : `the bundle is rejected: ${rejection}`;
  }
}

function webSite({ id, url, headers, basic_auth: login, css }: WebPage): IframeSite {
  const authorization = login && { Authorization: `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}` };
  return { id, url, headers: { ...authorization, ...headers }, css: css ?? null, isConfinedToOrigin: false };
}
