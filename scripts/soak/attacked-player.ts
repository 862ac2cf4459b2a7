// A real player and its browser, paired with a hostile service that sends what a soak tells it to; and whether it shows the right content.
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DesiredAsset, DesiredState } from "../../src/protocol/device/desired-state.ts";
import { service as keys } from "../../test/support/commands.ts";
import { type HostileService, startHostileService } from "../../test/support/malformed/hostile-service.ts";
import { storePlayer } from "../../test/support/malformed/stored-player.ts";
import { type Line, Program } from "../../test/support/programs/programs.ts";
import { assetOf, desiredOf, imageItem, withItems } from "../../test/support/states.ts";
import { type Color, faultOf, storedPicture } from "./pictures.ts";
import type { SoakRun } from "./soak-run.ts";

const itemMs = 1_000;
// Generous, as most of the CPU may belong to others.
const limitMs = 180_000;
// About twice what a healthy player uses. One that keeps 1 kB of each message of a long run exceeds it, and exits.
const heapLimitMb = 96;
/** What a player that shows the right content does not log after its first item. */
const neverLogged = new Set(["pairing code", "screen shown", "an item could not be shown"]);

export interface Picture {
  asset: DesiredAsset;
  bytes: Buffer;
  color: Color;
}

export class AttackedPlayer implements AsyncDisposable {
  readonly service: HostileService;
  /** Where the player looks for files before it downloads them. */
  readonly preloadFolder: string;
  readonly #run: SoakRun;
  /** The player's data, and a copy of it as it was when the player was first stopped. */
  readonly #folders: { data: string; whole: string };
  #desired: DesiredState;
  /** What may be on the screen. */
  #pictures: readonly Picture[];
  #player: Program;
  #hasExited = false;
  /** The output of the player's run before this one. */
  #earlierOutput = "";
  /** How many lines of the running player's log have been judged. */
  #judged = 0;

  private constructor(folder: string, run: SoakRun, service: HostileService, desired: DesiredState, pictures: readonly Picture[]) {
    this.service = service;
    this.preloadFolder = join(folder, "preload");
    this.#run = run;
    this.#folders = { data: join(folder, "player"), whole: join(folder, "whole") };
    this.#desired = desired;
    this.#pictures = pictures;
    this.#player = this.#launch();
  }

  /** Starts a player that shows two pictures in turn. */
  static async start(folder: string, run: SoakRun): Promise<AttackedPlayer> {
    const pictures = [await pictureOf([220, 30, 40]), await pictureOf([30, 60, 200])];
    const assets = pictures.map(({ asset }) => asset);
    const items = assets.map((asset) => imageItem(asset, itemMs));
    const desired = desiredOf(items, assets);
    const files = new Map(pictures.map(({ asset, bytes }) => [asset.sha256, bytes]));
    await mkdir(join(folder, "preload"));
    const device = await storePlayer(join(folder, "player"), keys, desired, files);
    const until = (check: () => boolean): Promise<void> => run.until("the player responds", check, limitMs);
    const service = await startHostileService({ keys, playerId: desired.player.id, device, clock: { now: Date.now }, until });
    for (const [sha256, bytes] of files) service.files.set(sha256, bytes);
    service.state = JSON.stringify(desired);
    await using cleanup = new AsyncDisposableStack();
    const attacked = cleanup.use(new AttackedPlayer(folder, run, service, desired, pictures));
    await attacked.#showFirst();
    cleanup.move();
    return attacked;
  }

  /** The state that the player should show. */
  get desired(): DesiredState {
    return this.#desired;
  }

  /** The lines with this message that the running player has logged. */
  logged(message: string): Line[] {
    return this.#player.lines.filter(({ msg }) => msg === message);
  }

  /** The resident memory of the player without its browser, in bytes. */
  async memoryBytes(): Promise<number> {
    const status = await readFile(`/proc/${this.#player.pid}/status`, "utf8");
    return 1_024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]);
  }

  /** Publishes a state with a new picture in place of the first one, and resolves when it is on the screen. */
  async showNew(prepare: (picture: Picture) => Promise<void> = async () => undefined): Promise<void> {
    // On a busy machine a picture may not be ready in time. Then the player returns to the content before, and tries changed content
    // at once.
    while (!(await this.#offerNew(prepare))) this.#run.print({ slow: "the player returned to the content before" });
  }

  /** @returns whether the new picture is shown; false if the player has returned to the content before because it was slow. */
  async #offerNew(prepare: (picture: Picture) => Promise<void>): Promise<boolean> {
    const { random } = this.#run;
    const picture = await pictureOf([random.integer(0, 255), random.integer(0, 255), random.integer(0, 255)]);
    await prepare(picture);
    this.service.files.set(picture.asset.sha256, picture.bytes);
    const before = this.#pictures;
    const after = [picture, before[1]!];
    const assets = after.map(({ asset }) => asset);
    const items = assets.map((asset) => imageItem(asset, itemMs));
    this.#desired = { ...withItems(this.#desired, items, assets, picture.asset.sha256.slice(0, 16)), player: this.#desired.player };
    // Until the new picture has arrived, the old ones are right too.
    this.#pictures = [...before, picture];
    await this.service.publish(JSON.stringify(this.#desired));
    const isShown = (): boolean => this.logged("presented").some(({ asset_id }) => asset_id === picture.asset.id);
    const isSlow = (): boolean =>
      this.logged("an item could not be shown").some(({ asset_id, code }) => asset_id === picture.asset.id && code === "timeout");
    await this.#run.until("the new picture is presented", () => this.#isRunning() && (isShown() || isSlow()), limitMs);
    await this.check();
    if (!isShown()) return false;
    this.#pictures = after;
    return true;
  }

  /** Checks that the player runs, that it has presented nothing but its pictures, and that a screenshot shows one of them. */
  async check(): Promise<void> {
    const before = this.logged("presented").length;
    await this.#run.until("the next item is presented", () => this.#isRunning() && this.logged("presented").length > before, limitMs);
    const { lines } = this.#player;
    const allowed = new Set<unknown>(this.#pictures.map(({ asset }) => asset.id));
    for (const line of lines.slice(this.#judged)) {
      const isSlow = line["code"] === "timeout";
      const isWrong = line.msg === "presented" ? !allowed.has(line["asset_id"]) : neverLogged.has(line.msg) && !isSlow;
      if (isWrong) this.#run.violate(`the player logged ${JSON.stringify(line)}`);
    }
    this.#judged = lines.length;
    await this.#checkScreen();
  }

  /** Stops the player, restores its data folder, damages it by `damage`, and starts the player on it. */
  async startDamaged(damage: (folder: string) => Promise<void>): Promise<void> {
    const { data, whole } = this.#folders;
    this.#earlierOutput = this.#player.output;
    const exitCode = await this.#player.stop("SIGTERM");
    if (exitCode !== 0) this.#run.violate(`the player exited with ${String(exitCode)}`);
    await cp(data, whole, { recursive: true, force: false });
    await rm(data, { recursive: true });
    await cp(whole, data, { recursive: true });
    await damage(data);
    this.#player = this.#launch();
    await this.#showFirst();
    await this.check();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#player[Symbol.asyncDispose]();
    await this.service[Symbol.asyncDispose]();
    if (this.#run.violations.length === 0) return;
    const path = join(tmpdir(), `signage-soak-${this.#run.part}-${this.#run.random.seed}.log`);
    await writeFile(path, this.#earlierOutput + this.#player.output);
    this.#run.print({ log_of_the_player: path });
  }

  #launch(): Program {
    this.#hasExited = false;
    const flags = ["--engine", "chromium", "--headless", "--preload", this.preloadFolder];
    const player = new Program(["src/main/cli.ts", "start", "--server", this.service.url, "--data", this.#folders.data, ...flags], {
      NODE_OPTIONS: `--max-old-space-size=${heapLimitMb}`,
    });
    void player.exitCode.then(() => (this.#hasExited ||= player === this.#player));
    return player;
  }

  #isRunning(): true {
    if (this.#hasExited) throw new Error(`the player has exited: ${this.#player.output.slice(-2_000)}`);
    return true;
  }

  /** Waits for the first item after a start. */
  async #showFirst(): Promise<void> {
    const isShown = (): boolean => this.#isRunning() && this.logged("presented").length > 0;
    await this.#run.until("content is presented after the start", isShown, limitMs);
    if (this.logged("pairing code").length > 0) this.#run.violate("the player asked to be paired");
    this.#judged = this.#player.lines.findIndex(({ msg }) => msg === "presented");
  }

  async #checkScreen(): Promise<void> {
    const screenshot = await this.service.screenshot();
    const colors = this.#pictures.map(({ color }) => color);
    const fault = await faultOf(screenshot, colors);
    if (fault === null) return;
    const path = join(tmpdir(), `signage-soak-${this.#run.random.seed}-${this.#run.violations.length}.png`);
    await writeFile(path, screenshot);
    this.#run.violate(`a screenshot shows no picture of the playlist: ${fault}, ${path}`);
  }
}

async function pictureOf(color: Color): Promise<Picture> {
  const bytes = await storedPicture(color);
  return { asset: assetOf(bytes, { width: 640, height: 360 }), bytes, color };
}
