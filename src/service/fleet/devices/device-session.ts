// One device's socket from hello to its end: resume, heartbeats, pushes. Knows nothing of other sockets.
import type { WebSocket } from "ws";
import { isAbort, reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { messageText } from "../../../base/websocket-text.ts";
import { closeCodes, DeviceMessage, parseMessage, type ServiceMessage } from "../../../protocol/device/messages.ts";
import { handleHeartbeat, type HeartbeatDependencies } from "./heartbeats.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Batch } from "../../../base/async/batch.ts";
import type { JournalEntry, DeviceJournal } from "./device-journal.ts";

export interface SessionDependencies extends HeartbeatDependencies {
  log: Log;
  makeId: MakeId;
  journal: DeviceJournal;
  /** Writes acknowledgements down. */
  acks: Batch<{ playerId: string; seq: number }>;
  heartbeatMs: number;
  /** How far a fleet of the present size spreads its first reconnects, ms. */
  spreadMs: () => number;
}

const helloLimitMs = 10_000;
// A device that takes nothing in for so long is too slow: it resumes from its journal later.
const maxBufferedBytes = 1_048_576;

type Hello = Extract<DeviceMessage, { type: "hello" }>;
type Sent = ServiceMessage extends infer M ? (M extends ServiceMessage ? Pick<M, "type" | "data"> : never) : never;

export class DeviceSession {
  readonly id: string;
  readonly playerId: string;
  readonly #socket: WebSocket;
  readonly #parts: SessionDependencies;
  readonly #ended = new AbortController();
  // New: before hello. Greeting: what is pushed meanwhile waits, so that nothing comes twice or in the wrong order.
  #stage: { is: "new" } | { is: "greeting"; waiting: JournalEntry[] } | { is: "live" } = { is: "new" };
  #handling: Promise<void> = Promise.resolve();
  #heardAt: number;
  #ignored = 0;
  // Every message repeats it.
  #acked = 0;

  constructor(socket: WebSocket, playerId: string, parts: SessionDependencies) {
    this.id = parts.makeId("evt");
    this.playerId = playerId;
    this.#socket = socket;
    this.#parts = parts;
    this.#heardAt = parts.clock.monotonic();
    socket.on("pong", () => (this.#heardAt = parts.clock.monotonic()));
    socket.on("message", (raw, binary) => {
      this.#heardAt = parts.clock.monotonic();
      const receivedAt = parts.clock.now();
      // One after the other: what a device says is true in the order it says it.
      this.#handling = this.#handling
        .then(() => this.#take(binary ? null : messageText(raw), receivedAt))
        .catch((error: unknown) => {
          parts.log.error({ err: error, player_id: playerId }, "a device's message could not be handled");
          socket.close(1011);
        });
    });
    socket.on("error", (error) => parts.log.debug({ reason: reasonOf(error), player_id: playerId }, "a device's socket failed"));
    socket.on("close", () => this.#ended.abort());
    void this.#expectHello();
  }

  /** Aborts when the socket has closed. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Resolves when every message that came has been handled. */
  get allHandled(): Promise<void> {
    return this.#handling;
  }

  /** Messages that were not understood. */
  get ignoredCount(): number {
    return this.#ignored;
  }

  /** Sends a journalled message, once the greeting is over. */
  push(entry: JournalEntry): void {
    if (this.#stage.is === "greeting") this.#stage.waiting.push(entry);
    else if (this.#stage.is === "live") this.#sendEntry(entry);
    // Before hello it is in the journal already, from where the greeting takes it.
  }

  /** Asks for a sign of life; ends a socket that gave none for `silenceMs`. */
  ping(silenceMs: number): void {
    if (this.#parts.clock.monotonic() - this.#heardAt > silenceMs) this.#socket.terminate();
    else if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  /** Tells it that it was removed, and ends. */
  revoke(revocation: string): void {
    this.#send({ type: "revoked", data: { revocation } });
    this.#socket.close(closeCodes.revoked, "removed");
  }

  /** Tells it to come back later, and ends. */
  goAway(reconnectAfterMs: number): void {
    this.#send({ type: "goaway", data: { reconnect_after_ms: reconnectAfterMs } });
    this.#socket.close(closeCodes.restarting, "restarting");
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  async #expectHello(): Promise<void> {
    try {
      await this.#parts.clock.wait(helloLimitMs, this.#ended.signal);
      if (this.#stage.is === "new") this.#socket.terminate();
    } catch (error) {
      if (!isAbort(error)) throw error;
    }
  }

  async #take(text: string | null, receivedAt: number): Promise<void> {
    const message = text === null ? null : this.#read(text);
    if (message === null || this.#ended.signal.aborted) return;
    if (message.ack !== undefined && message.ack > this.#acked && this.#stage.is === "live") {
      await this.#parts.acks.add({ playerId: this.playerId, seq: message.ack });
      this.#acked = message.ack;
    }
    switch (message.type) {
      case "hello":
        return this.#greet(message, receivedAt);
      case "heartbeat": {
        const answer = await handleHeartbeat(this.#parts, this.playerId, message.data, receivedAt, "socket");
        return this.#send({ type: "heartbeat.answer", data: { ...answer, reconnect_spread_ms: this.#parts.spreadMs() } });
      }
      case "ack":
        return;
      case "unsupported":
        this.#parts.log.warn({ player_id: this.playerId, type: message.data.type }, "the player does not know a message");
        return;
    }
  }

  async #greet(hello: Hello, receivedAt: number): Promise<void> {
    if (this.#stage.is !== "new") return this.#ignore("hello");
    const waiting: JournalEntry[] = [];
    this.#stage = { is: "greeting", waiting };
    const { clock, heartbeatMs, journal, makeId, spreadMs, store } = this.#parts;
    const { epoch, last_seq: lastSeq, heartbeat } = hello.data;
    const missed = await journal.since(store.db, this.playerId, epoch, lastSeq);
    const answer = await handleHeartbeat(this.#parts, this.playerId, heartbeat, receivedAt, "socket");
    const data = {
      session_id: this.id,
      epoch: journal.epoch,
      resumed: missed.resumed,
      heartbeat_ms: heartbeatMs,
      reconnect_spread_ms: spreadMs(),
      answer: { ...answer, answered_at_ms: clock.now() },
    };
    // Not resumed: the welcome itself stands at the journal's end, so that counting begins there.
    const seq = !missed.resumed && missed.lastSeq > 0 ? { seq: missed.lastSeq } : {};
    this.#sendRaw({ type: "welcome", data, id: makeId("evt"), ts: clock.now(), ...seq });
    for (const entry of missed.entries) this.#sendEntry(entry);
    this.#stage = { is: "live" };
    for (const entry of waiting) if (entry.seq > missed.lastSeq) this.#sendEntry(entry);
  }

  #sendEntry({ seq, message }: JournalEntry): void {
    const { clock, commands, log, makeId } = this.#parts;
    this.#sendRaw({ ...message, id: makeId("evt"), ts: clock.now(), seq });
    if (message.type !== "command") return;
    commands.markDelivered(message.data.command).catch((error: unknown) => log.error({ err: error }, "a delivery could not be noted"));
  }

  #send(message: Sent): void {
    this.#sendRaw({ ...message, id: this.#parts.makeId("evt"), ts: this.#parts.clock.now() } as ServiceMessage);
  }

  #sendRaw(message: ServiceMessage): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > maxBufferedBytes) return this.#socket.close(closeCodes.tooSlow, "resume later");
    this.#socket.send(JSON.stringify(message));
  }

  #read(text: string): DeviceMessage | null {
    const read = parseMessage(DeviceMessage, text);
    if (read.is === "known") return read.message;
    this.#ignore(read.type ?? "malformed");
    return null;
  }

  #ignore(type: string): void {
    this.#ignored += 1;
    this.#parts.log.warn({ player_id: this.playerId, type, count: this.#ignored }, "ignored a message of a device");
  }
}
