// The DevTools protocol of a page in Electron's window, with the same calls and deadlines as Chromium's pipe.
import type { WebContents } from "electron";
import { KeyedListeners } from "../../base/async/listeners.ts";
import type { Clock } from "../../base/clock.ts";
import { Fault, reasonOf } from "../../base/fault.ts";
import type { CallOptions, DevTools } from "../chromium/pipe.ts";

const version = "1.3";
const defaultDeadlineMs = 5_000;

/** DevTools attached to a window's page until the window is closed. */
export class ElectronDevTools {
  readonly #contents: WebContents;
  readonly #clock: Clock;
  readonly #listeners = new KeyedListeners<unknown>();

  /** Attaches to the page. @throws Error when another client is attached. */
  constructor(contents: WebContents, clock: Clock) {
    this.#contents = contents;
    this.#clock = clock;
    contents.debugger.attach(version);
    contents.debugger.on("message", (_event, method: string, params: unknown, sessionId: string) => {
      this.#listeners.notify(`${sessionId} ${method}`, params);
    });
  }

  /** Calls `listener` with the reason when the connection ends: the window was closed, or another client attached. */
  onDetach(listener: (reason: string) => void): void {
    this.#contents.debugger.on("detach", (_event, reason) => listener(reason));
  }

  /** Calls and events of an attached target, or without `id` of the page itself. */
  session(id = ""): DevTools {
    const session = {
      send: (method: string, params: object, options: CallOptions = {}) => this.#call(id, method, params, options),
      on: (event: string, listener: (params: unknown) => void, signal: AbortSignal) => {
        this.#listeners.add(`${id} ${event}`, listener, signal);
      },
    };
    return session as DevTools;
  }

  /** @throws Fault `timeout` past the deadline, `page-dead` when the call was rejected or the page is gone. */
  async #call(
    sessionId: string,
    method: string,
    params: object,
    { deadlineMs = defaultDeadlineMs, signal }: CallOptions,
  ): Promise<unknown> {
    signal?.throwIfAborted();
    const cleanup = new AbortController();
    const timeout = this.#clock.wait(deadlineMs, AbortSignal.any([cleanup.signal, ...(signal === undefined ? [] : [signal])])).then(() => {
      throw new Fault("timeout", `the browser did not respond to ${method} within ${deadlineMs} ms`);
    });
    const response: Promise<unknown> = this.#contents.debugger.sendCommand(method, params, sessionId === "" ? undefined : sessionId);
    const result = response.catch((error: unknown) => {
      throw new Fault("page-dead", `the browser rejected a call: ${reasonOf(error)}`);
    });
    try {
      return await Promise.race([result, timeout]);
    } finally {
      cleanup.abort();
    }
  }
}
