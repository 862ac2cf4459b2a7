// Sends the page's reports in their order, although some have to wait until the browser knows when a frame was presented.
import type { FromPage } from "../../../src/protocol/page-messages.ts";

type WithoutTime<Message> = Message extends FromPage ? Omit<Message, "at"> : never;

/** A report of something presented, without the instant. */
export type PresentedReport = WithoutTime<Extract<FromPage, { type: "presented" | "stage" | "screen" }>>;

/** A queue of reports. */
export class ReportQueue {
  readonly #send: (message: FromPage) => void;
  readonly #waiting: (() => FromPage | Promise<FromPage | null>)[] = [];
  #isSending = false;

  constructor(send: (message: FromPage) => void) {
    this.#send = send;
  }

  /** Sends a message after all earlier ones. */
  report(message: FromPage): void {
    this.#add(() => message);
  }

  /** Sends a message as soon as its instant is known (corrected wall time, ms), or not at all if that is null. Later messages wait for it. */
  reportPresented(message: PresentedReport, at: Promise<number | null>): void {
    this.#add(async () => {
      const instant = await at;
      return instant === null ? null : { ...message, at: instant };
    });
  }

  #add(message: () => FromPage | Promise<FromPage | null>): void {
    this.#waiting.push(message);
    if (!this.#isSending) void this.#sendAll();
  }

  /** A message that cannot be sent is an uncaught error of the page; later messages are still sent. */
  async #sendAll(): Promise<void> {
    this.#isSending = true;
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        const result = next();
        const message = result instanceof Promise ? await result : result;
        if (message !== null) this.#send(message);
      }
    } finally {
      this.#isSending = false;
      if (this.#waiting.length > 0) void this.#sendAll();
    }
  }
}
