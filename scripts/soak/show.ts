// A player with its service, both supervised, that loops pictures; and what it presented so far.
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plainImage } from "../../test/support/media/media.ts";
import { type Api, Program, startPlayer, startService } from "../../test/support/programs/programs.ts";
import { Supervised } from "./supervised.ts";
import type { SoakRun } from "./soak-run.ts";

/** How long each item is shown, unless another time is given. */
export const itemMs = 1_000;
const startLimitMs = 90_000;
const colors = [
  [220, 30, 40],
  [20, 160, 60],
  [30, 60, 200],
  [230, 200, 30],
] as const;

export interface Presented {
  assetId: string;
  /** Wall time of the frame, ms. */
  at: number;
}

export interface ShowOptions {
  /** The playlist. */
  pictures?: readonly Buffer[];
  /** How long each item is shown. */
  durationMs?: number;
  /** Called with the service's address. @returns the address that the player gets. */
  connect?: (url: string) => Promise<string>;
  serviceFlags?: readonly string[];
  /** Starts the player, by default headless on this machine. */
  launch?: (server: string, folder: string) => Program;
}

export class Show implements AsyncDisposable {
  readonly api: Api;
  readonly service: Supervised;
  readonly player: Supervised;
  readonly playerFolder: string;
  readonly playerId: string;
  readonly playlistId: string;
  /** Every asset that the playlist has ever had. */
  readonly assetIds: string[];
  #cleanup = new AsyncDisposableStack();

  private constructor(about: Pick<Show, "api" | "service" | "player" | "playerFolder" | "playerId" | "playlistId" | "assetIds">) {
    this.api = about.api;
    this.service = about.service;
    this.player = about.player;
    this.playerFolder = about.playerFolder;
    this.playerId = about.playerId;
    this.playlistId = about.playlistId;
    this.assetIds = about.assetIds;
  }

  /** Pairs a headless player whose data is in `folder`; resolves when it shows its first item. */
  static async start(folder: string, run: SoakRun, options: ShowOptions = {}): Promise<Show> {
    const { pictures, durationMs = itemMs, connect = async (url) => url, serviceFlags = [], launch = startPlayer } = options;
    const { api, program } = await startService(join(folder, "service"), ...serviceFlags);
    // From now on the service keeps its port.
    await program.stop();
    await using cleanup = new AsyncDisposableStack();
    const flags = ["--port", new URL(api.url).port, "--data", join(folder, "service"), "--requests-per-minute", "1000000", ...serviceFlags];
    const service = cleanup.use(new Supervised(() => new Program(["src/main/cli.ts", "serve", ...flags])));
    await run.until("the service listens", () => service.lines.some(({ msg }) => msg === "listening"), startLimitMs);
    const assetIds: string[] = [];
    const first = pictures ?? (await Promise.all(colors.map((color) => plainImage(color))));
    for (const [index, picture] of first.entries()) assetIds.push(await api.upload(`${index}.png`, picture));
    const { playlistId, layoutId } = await api.publish(itemsOf(assetIds, durationMs));
    const server = await connect(api.url);
    const playerFolder = join(folder, "player");
    const player = cleanup.use(new Supervised(() => launch(server, playerFolder)));
    await run.until("the player shows a code", () => player.lines.some(({ msg }) => msg === "pairing code"), startLimitMs);
    const playerId = await api.pair(player.current, layoutId);
    const show = new Show({ api, service, player, playerFolder, playerId, playlistId, assetIds });
    await run.until("content is shown", () => show.presented.length > 0, startLimitMs);
    cleanup.defer(() => show.#keepLog(run));
    show.#cleanup = cleanup.move();
    return show;
  }

  /** What the page presented, by the player's log, oldest first. */
  get presented(): Presented[] {
    return this.player.lines
      .filter(({ msg }) => msg === "presented")
      .map((line) => ({ assetId: String(line["asset_id"]), at: Date.parse(String(line["presented_at"])) }));
  }

  /** Changes the playlist. */
  async play(assetIds: readonly string[]): Promise<void> {
    await this.api.ok("PATCH", `playlists/${this.playlistId}`, { items: itemsOf(assetIds) });
  }

  /** Keeps the player's log if something happened that must not. */
  async #keepLog(run: SoakRun): Promise<void> {
    if (run.violations.length === 0) return;
    const path = join(tmpdir(), `signage-soak-${run.part}-${run.random.seed}.log`);
    await writeFile(path, this.player.lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    run.print({ log_of_the_player: path });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanup.disposeAsync();
  }
}

function itemsOf(assetIds: readonly string[], durationMs = itemMs) {
  return assetIds.map((asset_id) => ({ type: "image", asset_id, duration_ms: durationMs, fit: "fill" }));
}
