// The DevTools protocol over a browser's pipe: typed calls with deadlines, and events.
import type { Readable, Writable } from "node:stream";
import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.js";
import { KeyedListeners } from "../../base/async/listeners.ts";
import type { Clock } from "../../base/clock.ts";
import { Fault, isAbort, isFault } from "../../base/fault.ts";

type Commands = ProtocolMapping.Commands;
type Params<M extends keyof Commands> = Commands[M]["paramsType"] extends []
  ? Record<string, never>
  : NonNullable<Commands[M]["paramsType"][0]>;
type EventName = keyof ProtocolMapping.Events;
type EventOf<E extends EventName> = ProtocolMapping.Events[E] extends [infer Only] ? Only : undefined;

/** Deadline and cancellation of a call. */
export interface CallOptions {
  deadlineMs?: number;
  signal?: AbortSignal | undefined;
}

// Chromium responds within milliseconds; one that takes longer than this is stuck.
const defaultDeadlineMs = 5_000;

// Chromium's error for a call while one document replaces another, and when to retry.
const betweenPages = "Not attached to an active page";
const betweenPagesMs = 20;
const maxTries = 100;

interface Call {
  resolve(result: unknown): void;
  reject(reason: unknown): void;
}

interface Message {
  id?: number;
  method?: string;
  params?: unknown;
  sessionId?: string;
  result?: unknown;
  error?: { message: string };
}

/** The host's end of the pipe. `browser` is the browser's own session; `session` returns those of attached targets. */
export class DevToolsPipe {
  readonly browser: DevToolsSession;
  readonly #input: Writable;
  readonly #clock: Clock;
  readonly #calls = new Map<number, Call>();
  readonly #listeners = new KeyedListeners<unknown>();
  #lastId = 0;
  #rest = "";
  #isClosed = false;

  /** @param onClose called once when the browser has closed the pipe, which is the first sign of its exit. */
  constructor(input: Writable, output: Readable, clock: Clock, onClose: () => void) {
    this.#input = input;
    this.#clock = clock;
    this.browser = new DevToolsSession(this, undefined);
    output.setEncoding("utf8");
    output.on("data", (chunk: string) => this.#receive(chunk));
    const end = (): void => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      for (const call of this.#calls.values()) call.reject(pipeClosed());
      this.#calls.clear();
      onClose();
    };
    output.once("close", end);
    // A dead browser causes EPIPE or ECONNRESET; "close" does not follow on every platform.
    output.once("error", end);
    input.once("error", end);
  }

  /** True once the browser has closed the pipe. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves to true if the browser responds within `limitMs`. */
  async isResponsive(limitMs: number): Promise<boolean> {
    try {
      await this.browser.send("Browser.getVersion", {}, { deadlineMs: limitMs });
      return true;
    } catch (error) {
      if (isFault(error, "timeout")) return false;
      throw error;
    }
  }

  /** @internal Called by {@link DevToolsSession.send}. */
  waitBetweenPages(signal: AbortSignal | undefined): Promise<void> {
    return this.#clock.wait(betweenPagesMs, signal);
  }

  session(id: string): DevToolsSession {
    return new DevToolsSession(this, id);
  }

  /** @internal Called by {@link DevToolsSession.send}. */
  async call(sessionId: string | undefined, method: string, params: unknown, options: CallOptions): Promise<unknown> {
    if (this.#isClosed) throw pipeClosed();
    options.signal?.throwIfAborted();
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#calls.set(id, { resolve, reject });
    const cleanup = new AbortController();
    const deadlineMs = options.deadlineMs ?? defaultDeadlineMs;
    this.#clock.wait(deadlineMs, cleanup.signal).then(
      () => reject(new Fault("timeout", `the browser did not respond to ${method} within ${deadlineMs} ms`)),
      (error: unknown) => void (isAbort(error) || reject(error)),
    );
    const giveUp = (): void => reject(options.signal?.reason);
    options.signal?.addEventListener("abort", giveUp, { once: true });
    this.#input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    try {
      return await promise;
    } finally {
      cleanup.abort();
      options.signal?.removeEventListener("abort", giveUp);
      this.#calls.delete(id);
    }
  }

  /** @internal Called by {@link DevToolsSession.on}. */
  listen(key: string, listener: (params: unknown) => void, signal: AbortSignal): void {
    this.#listeners.add(key, listener, signal);
  }

  #receive(chunk: string): void {
    const messages = (this.#rest + chunk).split("\0");
    this.#rest = messages.pop() ?? "";
    for (const text of messages) this.#handle(JSON.parse(text) as Message);
  }

  #handle(message: Message): void {
    if (message.id === undefined) {
      return this.#listeners.notify(`${message.sessionId ?? ""} ${message.method}`, message.params);
    }
    const call = this.#calls.get(message.id);
    if (message.error === undefined) call?.resolve(message.result);
    else call?.reject(new Fault("page-dead", `the browser rejected a call: ${message.error.message}`));
  }
}

/** Calls and events of one target, or of the whole browser. */
export class DevToolsSession {
  readonly #pipe: DevToolsPipe;
  readonly #id: string | undefined;

  constructor(pipe: DevToolsPipe, id: string | undefined) {
    this.#pipe = pipe;
    this.#id = id;
  }

  /**
   * Calls the browser.
   * @throws Fault `timeout` past the deadline, `browser-failed` when the pipe closed, `page-dead` when it rejected the call.
   */
  async send<M extends keyof Commands>(method: M, params: Params<M>, options: CallOptions = {}): Promise<Commands[M]["returnType"]> {
    for (let tries = 1; ; tries += 1) {
      try {
        return (await this.#pipe.call(this.#id, method, params, options)) as Commands[M]["returnType"];
      } catch (error) {
        // Nothing was done, because one document is replacing another. Retry when the new one is there.
        if (tries === maxTries || !(isFault(error, "page-dead") && error.message.endsWith(betweenPages))) throw error;
        await this.#pipe.waitBetweenPages(options.signal);
      }
    }
  }

  /** Listens to an event until `signal` aborts. */
  on<E extends EventName>(event: E, listener: (params: EventOf<E>) => void, signal: AbortSignal): void {
    this.#pipe.listen(`${this.#id ?? ""} ${event}`, listener as (params: unknown) => void, signal);
  }
}

/** Calls and events of a target, independent of the connection. */
export type DevTools = Pick<DevToolsSession, "send" | "on">;

function pipeClosed(): Fault {
  return new Fault("browser-failed", "the browser closed its DevTools pipe");
}
