// A subscriber of `/events` that resumes after every loss of its connection, and checks that it gets each event once and in order.
import { WebSocket } from "ws";
import {
  eventsSubprotocol,
  type EventKind,
  type JournalPosition,
  type SubscriptionMessage,
} from "../../../src/protocol/operator/events.ts";
import { EventKind as Kinds } from "../../../src/protocol/operator/events.ts";
import type { SoakRun } from "../../soak/soak-run.ts";

/** An event as a subscriber got it. */
export interface GotEvent {
  seq: number;
  id: string;
  type: string;
  data: Record<string, unknown>;
  at: number;
}

const kinds: EventKind[] = Kinds.options.filter((kind) => kind !== "heartbeat");
const reconnectMs = 200;
// The load makes events all the time, and a node pings every 30 s: a connection that is silent for as long is dead.
const silenceMs = 8_000;

export class ResumingSubscriber implements Disposable {
  readonly name: string;
  readonly events: GotEvent[] = [];
  connections = 0;
  readonly #chooseUrl: () => string;
  readonly #token: string;
  readonly #run: SoakRun;
  #socket: WebSocket | null = null;
  #place: JournalPosition | null = null;
  #isOver = false;
  #silence: NodeJS.Timeout | undefined;

  /** @param chooseUrl the address of its next connection. */
  constructor(name: string, chooseUrl: () => string, token: string, run: SoakRun) {
    this.name = name;
    this.#chooseUrl = chooseUrl;
    this.#token = token;
    this.#run = run;
    this.#connect();
  }

  /** Its place in the journal; 0 before the first answer. */
  get seq(): number {
    return this.#place?.seq ?? 0;
  }

  #connect(): void {
    const headers = { authorization: `Bearer ${this.#token}` };
    const socket = new WebSocket(`${this.#chooseUrl().replace("http", "ws")}/api/v1/events`, eventsSubprotocol, {
      headers,
      handshakeTimeout: silenceMs,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    socket.on("open", () => {
      const after = this.#place === null ? {} : { after: this.#place };
      socket.send(JSON.stringify({ type: "subscribe", id: "1", data: { kinds, ...after } }));
      this.#hear(socket);
    });
    socket.on("message", (raw: Buffer) => {
      this.#hear(socket);
      this.#take(JSON.parse(raw.toString()) as SubscriptionMessage);
    });
    socket.on("ping", () => this.#hear(socket));
    // "close" follows.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(this.#silence);
      if (!this.#isOver) setTimeout(() => !this.#isOver && this.#connect(), reconnectMs);
    });
  }

  #hear(socket: WebSocket): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => socket.terminate(), silenceMs);
  }

  #take(message: SubscriptionMessage): void {
    if (message.type === "subscribed") {
      this.connections += 1;
      const { epoch, seq, resumed } = message.data;
      if (this.#place === null) this.#place = { epoch, seq };
      else if (!resumed || epoch !== this.#place.epoch || seq !== this.#place.seq)
        this.#run.violate(`${this.name}: resumed at ${epoch}:${seq} instead of ${this.#place.epoch}:${this.#place.seq}`);
    }
    if (message.type === "resync") this.#run.violate(`${this.name}: events are lost after ${this.seq}`);
    if (message.type !== "event") return;
    const { seq, data } = message;
    const place = this.#place!;
    // All kinds are subscribed, so every position of the journal is an event.
    if (seq !== place.seq + 1) this.#run.violate(`${this.name}: event ${seq} (${data.id}) follows ${place.seq}`);
    this.#place = { ...place, seq };
    this.events.push({ seq, id: data.id, type: data.type, data: data.data, at: performance.now() });
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#silence);
    this.#socket?.terminate();
  }
}
