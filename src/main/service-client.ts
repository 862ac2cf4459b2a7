// A small client of the operator's API for the programs in this folder.
import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import { Fault, reasonOf } from "../base/fault.ts";
import { Command, finalStatuses } from "../protocol/device/commands.ts";
import { Asset } from "../protocol/content/assets.ts";
import { Layout, page, Player, Playlist } from "../protocol/operator/resources.ts";
import { SignInLink, type NewSignInLink } from "../protocol/operator/sessions.ts";
import { Show, ShowProof, type NewShow } from "../protocol/operator/shows.ts";

// This client has no socket, so it polls.
const pollMs = 200;

/** Calls a service with an access token. Methods reject with an error that contains the service's explanation. */
export class ServiceClient {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  static async open(url: string, tokenFile: string): Promise<ServiceClient> {
    return new ServiceClient(url, (await readFile(tokenFile, "utf8")).trim());
  }

  async pair(code: string, name: string): Promise<Player> {
    return Player.parse(await this.#call("POST", "players/pair", { code, name }));
  }

  async player(id: string): Promise<Player> {
    return Player.parse(await this.#call("GET", `players/${id}`));
  }

  async assignLayout(playerId: string, layoutId: string): Promise<void> {
    await this.#call("PATCH", `players/${playerId}`, { layout_id: layoutId });
  }

  async hasLayouts(): Promise<boolean> {
    return page(Layout).parse(await this.#call("GET", "layouts?limit=1")).data.length > 0;
  }

  async upload(name: string, bytes: Buffer | Blob): Promise<Asset> {
    return Asset.parse(await this.#call("POST", `assets?name=${encodeURIComponent(name)}`, bytes));
  }

  async createPlaylist(body: object): Promise<Playlist> {
    return Playlist.parse(await this.#call("POST", "playlists", body));
  }

  async createLayout(body: object): Promise<Layout> {
    return Layout.parse(await this.#call("POST", "layouts", body));
  }

  async show(show: Partial<NewShow>): Promise<Show> {
    return Show.parse(await this.#call("POST", "show", show));
  }

  /** Every screen that a show is meant for, with its status and its reports. */
  async showScreens(id: string): Promise<ShowProof["players"]> {
    const screens: ShowProof["players"] = [];
    for (;;) {
      const { players, player_count } = ShowProof.parse(await this.#call("GET", `show/${id}/proof?offset=${screens.length}&limit=100`));
      screens.push(...players);
      if (players.length === 0 || screens.length >= player_count) return screens;
    }
  }

  async layout(id: string): Promise<Layout> {
    return Layout.parse(await this.#call("GET", `layouts/${id}`));
  }

  /** @returns false: it was deleted before */
  async deleteShow(id: string): Promise<boolean> {
    const response = await this.#send("DELETE", `show/${id}`);
    if (response.status === 404) return false;
    await answerOf(response, "DELETE", `show/${id}`);
    return true;
  }

  /** @param person whom it signs in; by default the user of the token */
  async createSignInLink(person: NewSignInLink = {}): Promise<SignInLink> {
    return SignInLink.parse(await this.#call("POST", "sign-in-links", person));
  }

  /** Takes a screenshot of the player. Resolves to the picture's URL once it has been uploaded. */
  async screenshot(playerId: string, clock: Clock, signal: AbortSignal): Promise<string> {
    const { id } = Command.parse(await this.#call("POST", `players/${playerId}/commands`, { type: "screenshot" }));
    for (;;) {
      const command = Command.parse(await this.#call("GET", `players/${playerId}/commands/${id}`));
      if (command.status === "succeeded") return `${this.#url}/api/v1/screenshots/${String(command.result?.["screenshot_id"])}/image`;
      if (finalStatuses.includes(command.status)) throw new Error(`the screenshot ${command.status}: ${command.error?.detail ?? ""}`);
      await clock.wait(pollMs, signal);
    }
  }

  async #call(method: string, path: string, body?: object): Promise<unknown> {
    return answerOf(await this.#send(method, path, body), method, path);
  }

  async #send(method: string, path: string, body?: object): Promise<Response> {
    const raw = Buffer.isBuffer(body) ? new Uint8Array(body) : body instanceof Blob ? body : null;
    return fetch(`${this.#url}/api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { "content-type": raw === null ? "application/json" : "application/octet-stream" }),
      },
      ...(body === undefined ? {} : { body: raw ?? JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new Fault("unreachable", `there is no service at ${this.#url}: start one, or name another with --server (${reasonOf(error)})`, {
        cause: error,
      });
    });
  }
}

/** The JSON of a response. @throws Fault `refused` with the service's explanation. */
async function answerOf(response: Response, method: string, path: string): Promise<unknown> {
  const json: unknown = response.status === 204 ? undefined : await response.json();
  if (response.ok) return json;
  const { detail } = z.object({ detail: z.string() }).parse(json);
  throw new Fault("refused", `${detail} (${method} ${path}: ${response.status})`);
}
