// The embedded service of a packaged player: a child process that is restarted whenever it ends, on the same port if that is free.
import { Backoff } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { notRunning } from "../../player/link/service-api.ts";
import { MediaForks, type ForkedProcess } from "./media-relay.ts";
import { Listening } from "./parent-port.ts";

/** A forked service process, such as Electron's UtilityProcess. */
export interface ServiceProcess {
  on(event: "message", listener: (message: unknown) => void): unknown;
  once(event: "exit", listener: (code: number) => void): unknown;
  postMessage(message: unknown): void;
  kill(): boolean;
}

export interface EmbeddedServiceOptions {
  /** Starts the service's program `serve` with these flags. */
  fork: (flags: string[]) => ServiceProcess;
  /** Starts a process in which the service examines files. */
  forkMedia: () => ForkedProcess;
  /** The service's data folder. */
  folder: string;
  /** The port of the last start, so that addresses that people have noted stay valid. */
  port: number;
  /** Called with the port whenever the service starts listening. */
  onPort: (port: number) => void;
  clock: Clock;
  log: Log;
}

// A service that crashes at each start is restarted about once a minute.
const restartBounds = { firstMs: 1_000, longestMs: 60_000 };
const healthyMs = 60_000;
const stopLimitMs = 8_000;
// The player starts after this time even without the service, because cached content plays without it.
const firstAddressLimitMs = 10_000;

/** Runs the service until disposed, which stops it and waits for its exit. */
export class EmbeddedService implements AsyncDisposable {
  readonly #options: EmbeddedServiceOptions;
  readonly #lifetime = new AbortController();
  #address = notRunning;
  readonly #running: Promise<void>;
  #port: number;
  readonly #isListening = new AbortController();

  private constructor(options: EmbeddedServiceOptions) {
    this.#options = options;
    this.#port = options.port;
    this.#running = this.#keepRunning();
  }

  /** Starts the service. Resolves once it listens, or after ten seconds; a failing service is restarted in either case. */
  static async start(options: EmbeddedServiceOptions, signal: AbortSignal): Promise<EmbeddedService> {
    const service = new EmbeddedService(options);
    const limit = AbortSignal.any([signal, service.#isListening.signal]);
    await options.clock.wait(firstAddressLimitMs, limit).catch((error: unknown) => {
      if (!isAbort(error)) throw error;
    });
    return service;
  }

  /**
   * The service's present address. It changes when another program uses the port at a restart. While the service does not listen, that
   * other program must not get the player's requests, so it is {@link notRunning}.
   */
  get address(): string {
    return this.#address;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lifetime.abort();
    await this.#running;
  }

  async #keepRunning(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#lifetime;
    const backoff = new Backoff(restartBounds);
    while (!signal.aborted) {
      const startedMs = clock.monotonic();
      const { code, hasListened } = await this.#runOnce(this.#port, signal);
      if (signal.aborted) return;
      // Its port may be in use, so the next attempt uses any free port.
      if (!hasListened && this.#port !== 0) {
        log.warn({ code, port: this.#port }, "the embedded service did not start on its port; trying a free one");
        this.#port = 0;
        continue;
      }
      if (clock.monotonic() - startedMs > healthyMs) backoff.reset();
      const waitMs = backoff.next();
      log.error({ code, wait_ms: Math.round(waitMs) }, "the embedded service ended and is restarted; cached content keeps playing");
      await clock.wait(waitMs, signal).catch((error: unknown) => {
        if (!isAbort(error)) throw error;
      });
    }
  }

  /** Runs the service's process once, from fork to exit. */
  async #runOnce(port: number, signal: AbortSignal): Promise<{ code: number; hasListened: boolean }> {
    const { fork, forkMedia, folder, clock } = this.#options;
    const child = fork(["--port", String(port), "--data", folder]);
    const exited = new Promise<number>((resolve) => child.once("exit", resolve));
    const media = new MediaForks(forkMedia, (message) => child.postMessage(message));
    const gone = new AbortController();
    let hasListened = false;
    child.on("message", (message) => {
      media.handleMessage(message);
      const report = Listening.safeParse(message);
      if (!report.success) return;
      hasListened = true;
      this.#address = report.data.listening;
      this.#port = Number(new URL(report.data.listening).port);
      this.#remember(this.#port);
      this.#isListening.abort();
    });
    const stop = (): void => {
      child.postMessage("stop");
      clock.wait(stopLimitMs, gone.signal).then(
        () => child.kill(),
        () => undefined, // it exited in time
      );
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true, signal: gone.signal });
    const code = await exited;
    this.#address = notRunning;
    gone.abort();
    media.killAll();
    return { code, hasListened };
  }

  /** Stores the port. A failure must not end the player; the next start then uses another port. */
  #remember(port: number): void {
    const { onPort, log } = this.#options;
    try {
      onPort(port);
    } catch (error) {
      log.warn({ port, reason: reasonOf(error) }, "the embedded service's port could not be stored");
    }
  }
}
