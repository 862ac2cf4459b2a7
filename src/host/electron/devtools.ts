// The DevTools protocol of a page in Electron's window, with the calls and deadlines that a browser's pipe has.
import type { WebContents } from "electron";
import type { Clock } from "../../base/clock.ts";
import { Fault, reasonOf } from "../../base/fault.ts";
import type { CallOptions, DevTools } from "../chromium/pipe.ts";

const version = "1.3";
const defaultDeadlineMs = 5_000;

/** DevTools attached to a window's page. It ends with the window. */
export class ElectronDevTools {
  readonly #contents: WebContents;
  readonly #clock: Clock;
  readonly #listeners = new Map<string, Set<(params: unknown) => void>>();

  /** Attaches. @throws Error when somebody else already has. */
  constructor(contents: WebContents, clock: Clock) {
    this.#contents = contents;
    this.#clock = clock;
    contents.debugger.attach(version);
    contents.debugger.on("message", (_event, method: string, params: unknown, sessionId: string) => {
      for (const listener of this.#listeners.get(`${sessionId} ${method}`) ?? []) listener(params);
    });
  }

  /** Hears why the connection ended: the window was closed, or somebody else took it over. */
  onDetach(listener: (reason: string) => void): void {
    this.#contents.debugger.on("detach", (_event, reason) => listener(reason));
  }

  /** Calls and events of an attached target; of the page itself without `id`. */
  session(id = ""): DevTools {
    const session = {
      send: (method: string, params: object, options: CallOptions = {}) => this.#call(id, method, params, options),
      on: (event: string, listener: (params: unknown) => void, signal: AbortSignal) => {
        if (signal.aborted) return;
        const key = `${id} ${event}`;
        const listeners = this.#listeners.get(key) ?? new Set();
        this.#listeners.set(key, listeners.add(listener));
        signal.addEventListener("abort", () => listeners.delete(listener), { once: true });
      },
    };
    return session as DevTools;
  }

  /** @throws Fault `timeout` past the deadline, `page-dead` when the call was refused or the page is gone. */
  async #call(
    sessionId: string,
    method: string,
    params: object,
    { deadlineMs = defaultDeadlineMs, signal }: CallOptions,
  ): Promise<unknown> {
    signal?.throwIfAborted();
    const answered = new AbortController();
    const late = this.#clock.wait(deadlineMs, AbortSignal.any([answered.signal, ...(signal === undefined ? [] : [signal])])).then(() => {
      throw new Fault("timeout", `the browser did not answer ${method} within ${deadlineMs} ms`);
    });
    const answer: Promise<unknown> = this.#contents.debugger.sendCommand(method, params, sessionId === "" ? undefined : sessionId);
    const checked = answer.catch((error: unknown) => {
      throw new Fault("page-dead", `the browser refused a call: ${reasonOf(error)}`);
    });
    try {
      return await Promise.race([checked, late]);
    } finally {
      answered.abort();
    }
  }
}
