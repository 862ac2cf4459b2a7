// Sends the page's reports in the order in which they were made, also where it becomes known only later when a frame was on the glass.
import type { FromPage } from "../../../src/protocol/page-messages.ts";

type WithoutTime<Message> = Message extends FromPage ? Omit<Message, "at"> : never;

/** What was presented, without the instant. */
export type PresentedReport = WithoutTime<Extract<FromPage, { type: "presented" | "stage" | "screen" }>>;

/** Queue of reports. */
export class ReportQueue {
  readonly #send: (message: FromPage) => void;
  readonly #waiting: (() => FromPage | Promise<FromPage>)[] = [];
  #isSending = false;

  constructor(send: (message: FromPage) => void) {
    this.#send = send;
  }

  /** Sends a message after those before it. */
  report(message: FromPage): void {
    this.#add(() => message);
  }

  /** Sends a message when its instant is known, corrected wall time in ms; those after it wait for it. */
  reportPresented(message: PresentedReport, at: Promise<number>): void {
    this.#add(async () => ({ ...message, at: await at }));
  }

  #add(message: () => FromPage | Promise<FromPage>): void {
    this.#waiting.push(message);
    if (!this.#isSending) void this.#sendAll();
  }

  /** What cannot be told is a fault of the page, and what waits behind it is sent all the same. */
  async #sendAll(): Promise<void> {
    this.#isSending = true;
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        const message = next();
        this.#send(message instanceof Promise ? await message : message);
      }
    } finally {
      this.#isSending = false;
      if (this.#waiting.length > 0) void this.#sendAll();
    }
  }
}
