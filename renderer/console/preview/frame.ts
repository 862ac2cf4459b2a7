// The player's page in a sandboxed frame: connects to it by a port, and gives a page that loads again the newest seek.
import { previewGreeting, type FromPreview, type ToPreview } from "../../../src/protocol/preview-messages.ts";

/** Ends with `signal`. */
export class PreviewFrame {
  readonly #frame: HTMLIFrameElement;
  readonly #receive: (message: FromPreview) => void;
  readonly #signal: AbortSignal;
  #port: MessagePort | null = null;
  /** The newest picture, for a page that is not ready yet or loads again. */
  #seek: ToPreview | null = null;

  /** @param receive gets the page's messages. */
  constructor(frame: HTMLIFrameElement, receive: (message: FromPreview) => void, signal: AbortSignal) {
    this.#frame = frame;
    this.#receive = receive;
    this.#signal = signal;
    addEventListener("message", (event) => this.#greet(event), { signal });
    signal.addEventListener("abort", () => this.#port?.close(), { once: true });
  }

  /** Sends a message. While there is no page, only the newest seek is kept. */
  send(message: ToPreview): void {
    if (message.type === "seek") this.#seek = message;
    this.#port?.postMessage(message);
  }

  /** The page is ready: it gets a port. Its origin has no name, so that the window itself tells who greets. */
  #greet({ source, data }: MessageEvent<unknown>): void {
    const page = this.#frame.contentWindow;
    if (page === null || source !== page || data !== previewGreeting) return;
    this.#port?.close();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.addEventListener("message", ({ data: message }: MessageEvent<FromPreview>) => this.#receive(message), { signal: this.#signal });
    port1.start();
    page.postMessage(previewGreeting, "*", [port2]);
    if (this.#seek !== null) port1.postMessage(this.#seek);
  }
}
