// The service that a packaged player brings along: a child process, started again whenever it ends, on the same port where that is free.
import { Backoff } from "../../base/async/backoff.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { MediaForks, type ForkedProcess } from "./media-relay.ts";
import { Listening } from "./parent-port.ts";

/** A forked service process, as Electron's `utilityProcess` has it. */
export interface ServiceProcess {
  on(event: "message", listener: (message: unknown) => void): unknown;
  once(event: "exit", listener: (code: number) => void): unknown;
  postMessage(message: unknown): void;
  kill(): boolean;
}

/** What an embedded service is started with. */
export interface EmbeddedServiceOptions {
  /** Starts the service with these flags, behind `serve`. */
  fork: (flags: string[]) => ServiceProcess;
  /** Starts a process in which the service examines files. */
  forkMedia: () => ForkedProcess;
  /** The service's data folder. */
  folder: string;
  /** The port to ask for: that of the last start, so that addresses people wrote down stay true. */
  port: number;
  /** Called with the port each time that the service has begun to listen. */
  onPort: (port: number) => void;
  clock: Clock;
  log: Log;
}

// A service that crashes at each start is not started more than about once a minute.
const restartBounds = { firstMs: 1_000, longestMs: 60_000 };
const healthyMs = 60_000;
const stopLimitMs = 8_000;
// The first picture does not wait longer than this for the service: what is cached plays without it.
const firstAddressLimitMs = 10_000;

/** Owns the service's process until it is disposed, which stops the service and waits for its end. */
export class EmbeddedService implements AsyncDisposable {
  readonly #options: EmbeddedServiceOptions;
  readonly #life = new AbortController();
  #address: string;
  readonly #running: Promise<void>;
  #port: number;
  readonly #isListening = new AbortController();

  private constructor(options: EmbeddedServiceOptions) {
    this.#options = options;
    this.#port = options.port;
    this.#address = `http://127.0.0.1:${options.port}`;
    this.#running = this.#keepRunning();
  }

  /** Starts the service. Resolves once it listens, or after ten seconds: it is started again and again in any case. */
  static async start(options: EmbeddedServiceOptions, signal: AbortSignal): Promise<EmbeddedService> {
    const service = new EmbeddedService(options);
    const limit = AbortSignal.any([signal, service.#isListening.signal]);
    await options.clock.wait(firstAddressLimitMs, limit).catch((error: unknown) => {
      if (!isAbort(error)) throw error;
    });
    return service;
  }

  /** The service's address now. It changes when the service had to be started again and somebody else had taken its port. */
  get address(): string {
    return this.#address;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort();
    await this.#running;
  }

  async #keepRunning(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#life;
    const backoff = new Backoff(restartBounds);
    while (!signal.aborted) {
      const startedMs = clock.monotonic();
      const { code, hasListened } = await this.#runOnce(this.#port, signal);
      if (signal.aborted) return;
      // A service that never listened may have found its port taken: the next try takes any free one.
      if (!hasListened && this.#port !== 0) {
        log.warn({ code, port: this.#port }, "the embedded service did not start on its port: trying a free one");
        this.#port = 0;
        continue;
      }
      if (clock.monotonic() - startedMs > healthyMs) backoff.reset();
      const waitMs = backoff.next();
      log.error({ code, wait_ms: Math.round(waitMs) }, "the embedded service ended and is started again; cached content plays on");
      await clock.wait(waitMs, signal).catch((error: unknown) => {
        if (!isAbort(error)) throw error;
      });
    }
  }

  /** One life of the service's process, from fork to exit. */
  async #runOnce(port: number, signal: AbortSignal): Promise<{ code: number; hasListened: boolean }> {
    const { fork, forkMedia, folder, clock } = this.#options;
    const child = fork(["--port", String(port), "--data", folder]);
    const exited = new Promise<number>((resolve) => child.once("exit", resolve));
    const media = new MediaForks(forkMedia, (news) => child.postMessage(news));
    const gone = new AbortController();
    let hasListened = false;
    child.on("message", (message) => {
      media.handleMessage(message);
      const told = Listening.safeParse(message);
      if (!told.success) return;
      hasListened = true;
      this.#address = told.data.listening;
      this.#port = Number(new URL(told.data.listening).port);
      this.#remember(this.#port);
      this.#isListening.abort();
    });
    const stop = (): void => {
      child.postMessage("stop");
      clock.wait(stopLimitMs, gone.signal).then(
        () => child.kill(),
        () => undefined, // it ended in time
      );
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true, signal: gone.signal });
    const code = await exited;
    gone.abort();
    media.killAll();
    return { code, hasListened };
  }

  /** A disk that takes nothing must not end the player: the next start then asks for another port. */
  #remember(port: number): void {
    const { onPort, log } = this.#options;
    try {
      onPort(port);
    } catch (error) {
      log.warn({ port, reason: reasonOf(error) }, "the embedded service's port could not be remembered");
    }
  }
}
