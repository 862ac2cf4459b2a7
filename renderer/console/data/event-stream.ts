// The console's one WebSocket to the service (`GET /events`). It resumes after a break, and tells when something was missed.
import { ProblemError } from "../../../sdk/typescript/client.ts";
import type { Event, JournalPosition, SubscriptionMessage as Message } from "../../../src/protocol/operator/events.ts";
import { baseUrl, client, isSignedOut } from "./client.ts";

export type Heartbeat = Extract<Message, { type: "heartbeat" }>["data"];

/** A message to the listeners of the stream. */
export type StreamNews =
  | { is: "event"; event: Event }
  | { is: "heartbeat"; heartbeat: Heartbeat }
  /** Events were missed, or may have been: everything that was read before must be read again. */
  | { is: "resync" }
  /** The session has ended: signed out elsewhere, expired, or the person was removed. */
  | { is: "signed-out" }
  /** The service responds (`awaySince` is null), or has not responded since then. */
  | { is: "connection"; awaySince: Date | null };

type Listener = (news: StreamNews) => void;

const firstDelayMs = 1_000;
const longestDelayMs = 30_000;
/** The service says something every 15 s. A network that was lost, as by a laptop that slept, ends no socket for minutes. */
const silenceMs = 40_000;

/** Subscribes to everything of the session's team as long as there are listeners. */
class EventStream {
  readonly #listeners = new Set<Listener>();
  #stop: AbortController | null = null;
  #position: JournalPosition | null = null;
  #awaySince: Date | null = null;

  /** Since when the service does not respond; null: it does. */
  get awaySince(): Date | null {
    return this.#awaySince;
  }

  /** Calls `listener` with all news until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#stop === null) {
      this.#stop = new AbortController();
      void this.#run(this.#stop.signal);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stop?.abort();
      this.#stop = null;
    };
  }

  #notify(news: StreamNews): void {
    for (const listener of this.#listeners) listener(news);
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let delayMs = firstDelayMs; !signal.aborted;) {
      const hadConnected = await this.#connect(signal);
      if (signal.aborted) return;
      if (hadConnected) delayMs = firstDelayMs;
      if (this.#awaySince === null) {
        this.#awaySince = new Date();
        this.#notify({ is: "connection", awaySince: this.#awaySince });
      }
      await waitUntilOnline(delayMs * (0.5 + Math.random()), signal);
      delayMs = Math.min(delayMs * 2, longestDelayMs);
    }
  }

  /** Connects, and returns when the connection has ended: whether there was one. */
  async #connect(signal: AbortSignal): Promise<boolean> {
    let ticket: string;
    let protocol: typeof import("../../../src/protocol/operator/events.ts");
    try {
      // Loaded here, since the first picture of the page needs neither the schemas nor their library.
      protocol = await import("../../../src/protocol/operator/events.ts");
      ({ ticket } = (await client.post("/api/v1/events/tickets", { signal })).data);
    } catch (error) {
      if (isSignedOut(error) && !signal.aborted) this.#notify({ is: "signed-out" });
      return error instanceof ProblemError && error.status < 500;
    }
    const { EventKind, SubscriptionMessage, eventsSubprotocol } = protocol;
    const url = new URL(`${baseUrl}/api/v1/events?ticket=${encodeURIComponent(ticket)}`);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url, eventsSubprotocol);
    let isSubscribed = false;
    const socketLifetime = new AbortController();
    const completion = endOf(socket, signal).finally(() => socketLifetime.abort());
    socket.addEventListener("open", () => {
      const data = { kinds: EventKind.options, ...(this.#position === null ? {} : { after: this.#position }) };
      socket.send(JSON.stringify({ type: "subscribe", id: "console", data }));
    });
    const take = ({ data }: MessageEvent): void => {
      const message = SubscriptionMessage.safeParse(JSON.parse(String(data)));
      // A newer service may send messages that this page cannot read.
      if (!message.success) return;
      if (message.data.type === "subscribed") {
        isSubscribed = true;
        // Answers from before the first subscription may already be old.
        if (this.#position === null) this.#notify({ is: "resync" });
        if (this.#awaySince !== null) {
          this.#awaySince = null;
          this.#notify({ is: "connection", awaySince: null });
        }
      }
      this.#handle(message.data);
      if (message.data.type === "goaway") socket.close();
    };
    // After its end, a network that returns may still deliver messages that another socket has received meanwhile.
    socket.addEventListener("message", take, { signal: socketLifetime.signal });
    await completion;
    return isSubscribed;
  }

  #handle(message: Message): void {
    switch (message.type) {
      case "subscribed":
      case "place":
        this.#position = { epoch: message.data.epoch, seq: message.data.seq };
        return;
      case "resync":
        this.#position = message.data;
        return this.#notify({ is: "resync" });
      case "event":
        if (this.#position !== null) this.#position = { ...this.#position, seq: message.seq };
        return this.#notify({ is: "event", event: message.data });
      case "heartbeat":
        return this.#notify({ is: "heartbeat", heartbeat: message.data });
      case "unsubscribed":
      case "error":
      case "goaway":
        return;
    }
  }
}

/** Waits until the socket has ended, and ends it when nothing arrives any more or the signal aborts. */
async function endOf(socket: WebSocket, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => {
    // Over a dead network no answer to it ever arrives: nobody waits for that.
    socket.close();
    resolve();
  };
  let silence = setTimeout(end, silenceMs);
  const hear = (): void => {
    clearTimeout(silence);
    silence = setTimeout(end, silenceMs);
  };
  socket.addEventListener("open", hear);
  socket.addEventListener("message", hear);
  socket.addEventListener("close", end);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  await promise;
  clearTimeout(silence);
  signal.removeEventListener("abort", end);
}

/** The stream that all parts of the console share. */
export const eventStream = new EventStream();

/** Waits, but no longer than until the browser has a network again. */
async function waitUntilOnline(delayMs: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    addEventListener("online", end);
    signal.addEventListener("abort", end);
  });
}
