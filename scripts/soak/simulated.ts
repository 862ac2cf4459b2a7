// The parent's side of a player on a simulated clock, with a service on the same clock.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { TestService } from "../../test/service/harness.ts";
import { FakeClock } from "../../test/support/clock.ts";
import type { Order, Report } from "./simulated-player.ts";
import type { SoakRun } from "./soak-run.ts";

/** No server listens at this address. */
const nowhere = "http://127.0.0.1:9";

/** A paired player that loops pictures, each for `itemMs`. */
export class SimulatedShow implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly service: TestService;
  readonly folder: string;
  isOnline = true;
  #player!: ChildProcess;
  #ended!: Promise<unknown>;

  private constructor(folder: string, clock: FakeClock, service: TestService) {
    this.folder = folder;
    this.clock = clock;
    this.service = service;
    this.#start();
  }

  static async start(folder: string, run: SoakRun, itemMs: number, pictures: readonly Buffer[]): Promise<SimulatedShow> {
    const clock = new FakeClock();
    const service = await TestService.start(join(folder, "service"), { clock });
    const show = new SimulatedShow(folder, clock, service);
    let code: string | null = null;
    await run.until("a code is shown", async () => (code = (await show.advance(1_000)).code) !== null, 60_000);
    await service.call("POST", "players/pair", { code, name: "Lobby" });
    const items = [];
    for (const bytes of pictures) items.push({ type: "image", asset_id: (await service.upload(bytes)).body.id, duration_ms: itemMs });
    const { layout } = await service.createLayout(items);
    const [player] = (await service.call("GET", "players")).body.data as { id: string }[];
    await service.call("PATCH", `players/${player!.id}`, { layout_id: layout.id });
    await run.until("content plays", async () => (await show.advance(1_000)).isPlaying, 60_000);
    return show;
  }

  /** Advances both clocks by `ms`, and reports what the player did. */
  async advance(ms: number, more: Partial<Order> = {}): Promise<Report> {
    const reported = once(this.#player, "message") as Promise<[Report]>;
    this.#order(ms, more);
    const report = await Promise.race([reported.then(([each]) => each), this.#ended.then(() => null)]);
    if (report === null) throw new Error("the player ended");
    return report;
  }

  /** Kills the player `delayMs` (real time) after the clock was advanced by `ms`, while it works, and starts it again. */
  async killPlayer(ms: number, delayMs: number): Promise<void> {
    this.#order(ms);
    await pause(delayMs);
    await this.#kill();
    this.#start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kill();
    await this.service[Symbol.asyncDispose]();
  }

  get #server(): string {
    return this.isOnline ? this.service.service.url : nowhere;
  }

  #order(advanceMs: number, more: Partial<Order> = {}): void {
    this.clock.advance(advanceMs);
    const order: Order = { advanceMs, server: this.#server, showsNext: false, measure: false, ...more };
    this.#player.send(order);
  }

  async #kill(): Promise<void> {
    this.#player.kill("SIGKILL");
    await this.#ended;
  }

  #start(): void {
    const argv = [join(this.folder, "player"), String(this.clock.now()), this.#server];
    this.#player = fork(join(import.meta.dirname, "simulated-player.ts"), argv, { execArgv: ["--expose-gc"] });
    this.#ended = once(this.#player, "exit");
  }
}
