// A WebSocket whose sender waits while the peer does not read. Reports a peer that does not read for half a minute.
import type { WebSocket } from "ws";
import type { Clock } from "../../base/clock.ts";

// The sender waits while more than this is in the buffer.
const maxBufferedBytes = 262_144;
const stalledMs = 30_000;

export class PacedSocket {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #onStalled: () => void;
  readonly #closed = new AbortController();
  /** Resolves when the last message has been passed to the operating system. */
  #flushed: Promise<void> = Promise.resolve();

  /** @param onStalled must close the socket. */
  constructor(socket: WebSocket, clock: Clock, onStalled: () => void) {
    this.#socket = socket;
    this.#clock = clock;
    this.#onStalled = onStalled;
    socket.on("close", () => this.#closed.abort());
  }

  /** Aborts when the socket has closed. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get isFull(): boolean {
    return this.#socket.bufferedAmount > maxBufferedBytes;
  }

  send(text: string): void {
    if (!this.isOpen) return;
    this.#flushed = new Promise((resolve) => {
      this.#socket.send(text, () => resolve());
    });
  }

  /** Resolves to true when the buffer has room, to false when the socket has closed or the peer has stalled. */
  async hasRoom(): Promise<boolean> {
    const closed = this.#closed.signal;
    const done = new AbortController();
    let isStalled = false;
    const timeout = this.#clock.wait(stalledMs, AbortSignal.any([closed, done.signal])).then(
      () => (isStalled = true),
      () => undefined,
    );
    while (this.isFull && !isStalled && !closed.aborted) await Promise.race([this.#flushed, timeout]);
    done.abort();
    if (isStalled && !closed.aborted) this.#onStalled();
    return !isStalled && !closed.aborted;
  }
}
