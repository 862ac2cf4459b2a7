// An event subscriber for tests: a WebSocket that keeps received messages.
import { once } from "node:events";
import { Ajv, type ValidateFunction } from "ajv";
import { WebSocket } from "ws";
import { eventsSubprotocol, type EventKind, type SubscriptionMessage } from "../../../src/protocol/operator/events.ts";
import { messageOrClose } from "../../support/network/message-or-close.ts";

type Of<T extends SubscriptionMessage["type"]> = Extract<SubscriptionMessage, { type: T }>;

/** Validators of the service's messages by type, from its AsyncAPI description. */
export async function messageValidators(url: string): Promise<Map<string, ValidateFunction>> {
  const document = (await (await fetch(`${url}/api/v1/asyncapi.json`)).json()) as {
    channels: { events: { messages: Record<string, { name: string }> } };
  };
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema(document, "sockets");
  return new Map(
    Object.entries(document.channels.events.messages)
      .filter(([key]) => key.startsWith("events-out-"))
      .map(([key, { name }]) => [name, ajv.compile({ $ref: `sockets#/channels/events/messages/${key}/payload` })]),
  );
}

export class EventSubscriber implements Disposable {
  readonly socket: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly received: SubscriptionMessage[] = [];

  constructor(url: string, token: string | null, query = "") {
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    this.socket = new WebSocket(`${url.replace("http", "ws")}/api/v1/events${query}`, eventsSubprotocol, { headers });
    this.socket.on("message", (raw: Buffer) => {
      this.received.push(JSON.parse(raw.toString()) as SubscriptionMessage);
    });
    this.closed = once(this.socket, "close").then(([code, reason]) => ({ code: code as number, reason: String(reason) }));
    this.socket.on("error", () => undefined); // `closed` reports it
  }

  /** Subscribes and returns the data of the acknowledgement. */
  async subscribe(
    kinds: EventKind[],
    more: { players?: string[]; after?: { epoch: string; seq: number } } = {},
  ): Promise<Of<"subscribed">["data"]> {
    if (this.socket.readyState === WebSocket.CONNECTING) await once(this.socket, "open");
    const id = Math.random().toString(36).slice(2);
    this.socket.send(JSON.stringify({ type: "subscribe", id, data: { kinds, ...more } }));
    return (await this.next((message): message is Of<"subscribed"> => message.type === "subscribed" && message.id === id)).data;
  }

  /** The first received or future message that `matches`. Rejects when the socket closes before. */
  async next<T extends SubscriptionMessage>(matches: (message: SubscriptionMessage) => message is T): Promise<T> {
    let looked = 0;
    for (;;) {
      const fresh = this.received.slice(looked);
      looked = this.received.length;
      const found = fresh.find(matches);
      if (found !== undefined) return found;
      if (this.socket.readyState === WebSocket.CLOSED)
        throw new Error(`no matching message; received ${this.received.map(({ type }) => type).join(", ")}`);
      await messageOrClose(this.socket);
    }
  }

  /** The next event of `type`. */
  event(type: string): Promise<Of<"event">> {
    return this.next((message): message is Of<"event"> => message.type === "event" && message.data.type === type);
  }

  get events(): Of<"event">[] {
    return this.received.filter((message): message is Of<"event"> => message.type === "event");
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }
}
