// The data folder of a player that was paired, played and was stopped, for tests that harm copies of it.
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { silentLog } from "../../src/base/log.ts";
import { Identity } from "../../src/player/pairing/identity.ts";
import { picture, TestService } from "../service/harness.ts";
import { FakeClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { TestPlayer } from "../support/player.ts";
import { eventually } from "../support/polling.ts";

/** No server listens at this address. */
export const nowhere = "http://127.0.0.1:9";

export class PlayedFolder implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly #cleanup = new AsyncDisposableStack();
  #root = "";
  service!: TestService;
  /** The folder, and the files in it with their names relative to it. */
  whole = "";
  files: string[] = [];
  /** The item that it shows, and the hash of its file. */
  item = "";
  sha256 = "";
  thumbprint = "";

  static async create(): Promise<PlayedFolder> {
    const played = new PlayedFolder();
    played.#root = played.#cleanup.use(await temporaryFolder()).path;
    played.service = played.#cleanup.use(await TestService.start(join(played.#root, "service"), { clock: played.clock }));
    played.whole = join(played.#root, "whole");
    await played.#playOnce();
    played.files = await filesIn(played.whole);
    played.thumbprint = (await Identity.open(played.whole, silentLog)).thumbprint;
    return played;
  }

  /** Pairs a player, gives it content twice, and a command whose result it cannot deliver, and stops it. */
  async #playOnce(): Promise<void> {
    const { service } = this;
    let server = service.service.url;
    await using player = new TestPlayer(this.whole, () => server, this.clock);
    const { id } = (await service.call("POST", "players/pair", { code: await player.pairingCode(), name: "Lobby" })).body;
    await player.line("connected");
    for (const size of [8, 9]) {
      const asset = (await service.upload(await picture("png", size))).body;
      const items = [{ type: "image", asset_id: asset.id, duration_ms: 5_000 }];
      const { playlist, layout } = await service.createLayout(items);
      await service.call("PATCH", `players/${id}`, { layout_id: layout.id });
      this.item = playlist.items[0].id as string;
      this.sha256 = asset.sha256;
      await eventually(() => this.presents(player));
    }
    // The socket stays, but the requests fail.
    server = nowhere;
    await service.call("POST", `players/${id}/commands`, { type: "variables.set", args: { variables: { a: "b" } } });
    await player.line("command ended");
  }

  /** Whether the player has shown the item. Moves the clock. */
  presents({ host }: TestPlayer): boolean {
    this.clock.advance(500);
    host.presentDue();
    return host.presented.includes(this.item);
  }

  async copyOf(name: string): Promise<string> {
    const folder = join(this.#root, name);
    await cp(this.whole, folder, { recursive: true });
    return folder;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cleanup[Symbol.asyncDispose]();
  }
}

/** The names of all files below a folder, relative to it. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
}
