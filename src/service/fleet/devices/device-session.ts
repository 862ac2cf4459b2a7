// The socket of one device: greets the device, handles its messages in order and sends the entries of its journal.
import type { WebSocket } from "ws";
import { isAbort, reasonOf } from "../../../base/fault.ts";
import { messageText } from "../../../base/websocket-text.ts";
import { closeCodes, DeviceMessage, parseMessage, type ServiceMessage, statePushFeature } from "../../../protocol/device/messages.ts";
import { handleHeartbeat, type HeartbeatDependencies } from "../heartbeats/heartbeats.ts";
import { mergeHeartbeat } from "../heartbeats/merge.ts";
import type { Heartbeat, HeartbeatAnswer } from "../../../protocol/device/heartbeat.ts";
import { type HeartbeatDelta, heartbeatDeltaFeature } from "../../../protocol/device/heartbeat-delta.ts";
import type { KeptHeartbeat } from "../presence/presence.ts";
import type { Batch } from "../../../base/async/batch.ts";
import type { PlayerRow } from "../../store/tables/fleet.ts";
import type { DeviceJournal, JournalEntry } from "./device-journal.ts";
import { JournalSender } from "./journal-sender.ts";
import { hintText, type PushedEntry } from "./state-hint.ts";

export interface SessionDependencies extends HeartbeatDependencies {
  journal: DeviceJournal;
  /** Stores acknowledgements. */
  acks: Batch<{ playerId: string; seq: number }>;
  heartbeatMs: number;
  /** The time over which the players spread their first reconnect, ms. */
  spreadMs: () => number;
}

const helloTimeoutMs = 10_000;
// A device with more unread data is disconnected. It resumes from its journal later.
const maxBufferedBytes = 1_048_576;

/** The features that the welcome announces. */
const features = [heartbeatDeltaFeature];

type Hello = Extract<DeviceMessage, { type: "hello" }>;
type Outgoing = ServiceMessage extends infer M ? (M extends ServiceMessage ? Pick<M, "type" | "data"> : never) : never;

export class DeviceSession {
  readonly id: string;
  readonly playerId: string;
  /** Of the device's key. */
  readonly thumbprint: string;
  /** The run of the player's program; undefined for older players. */
  readonly instanceId: string | undefined;
  readonly #socket: WebSocket;
  readonly #dependencies: SessionDependencies;
  readonly #ended = new AbortController();
  readonly #sender: JournalSender;
  #handling: Promise<void> = Promise.resolve();
  #lastReceivedAt: number;
  #ignoredCount = 0;
  /** The last acknowledgement. Devices repeat it in every message. */
  #ackedSeq = 0;
  /** The last heartbeat of this connection, and the id of its message: the base of the next delta. */
  #base: { id: string; kept: KeptHeartbeat } | null = null;
  #takesStates = false;

  constructor(
    socket: WebSocket,
    { id: playerId, thumbprint }: Pick<PlayerRow, "id" | "thumbprint">,
    instanceId: string | undefined,
    dependencies: SessionDependencies,
  ) {
    const { clock, log, makeId } = dependencies;
    // Only a unique id for this connection: it is not the id of an event.
    this.id = makeId("evt");
    this.playerId = playerId;
    this.thumbprint = thumbprint;
    this.instanceId = instanceId;
    this.#socket = socket;
    this.#dependencies = dependencies;
    this.#sender = new JournalSender(playerId, dependencies, {
      send: (entry) => this.#sendEntry(entry),
      // It resumes later, by then with the end of the journal.
      giveUp: () => socket.close(closeCodes.tooSlow, "resume later"),
    });
    this.#lastReceivedAt = clock.monotonic();
    socket.on("pong", () => (this.#lastReceivedAt = clock.monotonic()));
    socket.on("message", (raw, binary) => {
      this.#lastReceivedAt = clock.monotonic();
      const receivedAt = clock.now();
      // Handle messages one after the other, in the order of the device.
      this.#handling = this.#handling
        .then(() => this.#handleMessage(binary ? null : messageText(raw), receivedAt))
        .catch((error: unknown) => {
          log.error({ err: error, player_id: playerId }, "a device's message could not be handled");
          socket.close(1011);
        });
    });
    socket.on("error", (error) => log.debug({ reason: reasonOf(error), player_id: playerId }, "a device's socket failed"));
    socket.on("close", () => this.#ended.abort());
    void this.#expectHello();
  }

  /** Aborts when the socket has closed. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Resolves when all received messages have been handled. */
  get allHandled(): Promise<void> {
    return this.#handling;
  }

  /** How many messages were malformed or unknown. */
  get ignoredCount(): number {
    return this.#ignoredCount;
  }

  /** Sends a committed journal entry, unless it was sent. Before hello there is nothing to do: the greeting sends it from the journal. */
  push(entry: PushedEntry): void {
    this.#sender.push(entry);
  }

  /** True if the entry is an unsent hint that the device takes together with the state. */
  takesStateOf(entry: JournalEntry): boolean {
    return entry.message.type === "state.changed" && this.#takesStates && !this.#sender.hasSent(entry);
  }

  /** Pings the device; terminates a socket from which nothing was received for `silenceMs`. */
  ping(silenceMs: number): void {
    if (this.#dependencies.clock.monotonic() - this.#lastReceivedAt > silenceMs) this.#socket.terminate();
    else if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }

  /** Sends the signed revocation and closes the socket. */
  revoke(revocation: string): void {
    this.#send({ type: "revoked", data: { revocation } });
    this.#socket.close(closeCodes.revoked, "removed");
  }

  /** Asks the device to reconnect later, and closes the socket. */
  goAway(reconnectAfterMs: number): void {
    this.#send({ type: "goaway", data: { reconnect_after_ms: reconnectAfterMs } });
    this.#socket.close(closeCodes.restarting, "restarting");
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Closes the socket because another device uses the same identity. */
  refuse(): void {
    this.close(closeCodes.identityShared, "another device uses this identity");
  }

  /** True if `instanceId` is another run of a program than this session's. False if one of the two is not named. */
  isOtherRun(instanceId: string | undefined): boolean {
    return this.instanceId !== undefined && instanceId !== undefined && this.instanceId !== instanceId;
  }

  terminate(): void {
    this.#socket.terminate();
  }

  async #expectHello(): Promise<void> {
    try {
      await this.#dependencies.clock.wait(helloTimeoutMs, this.#ended.signal);
      if (!this.#sender.hasBegun) this.#socket.terminate();
    } catch (error) {
      if (!isAbort(error)) throw error;
    }
  }

  async #handleMessage(text: string | null, receivedAt: number): Promise<void> {
    const message = text === null ? null : this.#parse(text);
    if (message === null || this.#ended.signal.aborted) return;
    if (message.ack !== undefined && message.ack > this.#ackedSeq && this.#sender.isLive) {
      await this.#dependencies.acks.add({ playerId: this.playerId, seq: message.ack });
      this.#ackedSeq = message.ack;
    }
    switch (message.type) {
      case "hello":
        return this.#greet(message, receivedAt);
      case "heartbeat":
        return this.#answerHeartbeat(message.id, message.data, receivedAt);
      case "heartbeat.delta": {
        const heartbeat = this.#complete(message.data);
        if (heartbeat === null) return this.#send({ type: "heartbeat.wanted", data: {} });
        return this.#answerHeartbeat(message.id, heartbeat, receivedAt);
      }
      case "ack":
        return;
      case "unsupported":
        this.#dependencies.log.warn({ player_id: this.playerId, type: message.data.type }, "the player does not support a message");
        return;
    }
  }

  async #answerHeartbeat(id: string, heartbeat: Heartbeat, receivedAt: number): Promise<void> {
    const answer = await this.#record(id, heartbeat, receivedAt);
    this.#send({ type: "heartbeat.answer", data: { ...answer, reconnect_spread_ms: this.#dependencies.spreadMs() } });
  }

  async #record(id: string, heartbeat: Heartbeat, receivedAt: number): Promise<HeartbeatAnswer> {
    const { answer, kept } = await handleHeartbeat(this.#dependencies, this.playerId, heartbeat, receivedAt, "socket");
    this.#base = { id, kept };
    return answer;
  }

  /** The whole heartbeat of a delta; null if it does not add to the last one, as after a message that was ignored. */
  #complete(delta: HeartbeatDelta): Heartbeat | null {
    if (this.#base === null || this.#base.id !== delta.base) return null;
    const { heartbeat } = this.#base.kept;
    return mergeHeartbeat(typeof heartbeat === "string" ? (JSON.parse(heartbeat) as Heartbeat) : heartbeat, delta);
  }

  async #greet(hello: Hello, receivedAt: number): Promise<void> {
    if (this.#sender.hasBegun) return this.#ignore("hello");
    this.#sender.begin();
    this.#takesStates = hello.data.features?.includes(statePushFeature) ?? false;
    const { clock, commands, heartbeatMs, journal, makeId, spreadMs, store } = this.#dependencies;
    const { epoch, last_seq: lastSeq, heartbeat } = hello.data;
    const missed = await journal.since(store.db, this.playerId, epoch, lastSeq);
    const answer = await this.#record(hello.id, heartbeat, receivedAt);
    const entries = await commands.withoutCancelled(missed.entries);
    const data = {
      session_id: this.id,
      epoch: journal.epoch,
      resumed: missed.resumed,
      heartbeat_ms: heartbeatMs,
      reconnect_spread_ms: spreadMs(),
      answer: { ...answer, answered_at_ms: clock.now() },
      features,
    };
    // A device that cannot resume counts on from the end of the journal, which the welcome states.
    const seq = !missed.resumed && missed.lastSeq > 0 ? { seq: missed.lastSeq } : {};
    this.#sendMessage({ type: "welcome", data, id: makeId("evt"), ts: clock.now(), ...seq });
    await this.#sender.goOn({ ...missed, entries });
  }

  #sendEntry({ seq, message, document }: PushedEntry): void {
    const { clock, commands, log, makeId } = this.#dependencies;
    const envelope = { id: makeId("evt"), ts: clock.now(), seq };
    if (message.type === "state.changed") return this.#sendText(hintText({ ...envelope, ...message }, document));
    this.#sendMessage({ ...envelope, ...message });
    commands.markDelivered(message.data.command).catch((error: unknown) => {
      log.error({ err: error }, "a command could not be marked as delivered");
    });
  }

  #send(message: Outgoing): void {
    const { clock, makeId } = this.#dependencies;
    this.#sendMessage({ ...message, id: makeId("evt"), ts: clock.now() } as ServiceMessage);
  }

  #sendMessage(message: ServiceMessage): void {
    this.#sendText(JSON.stringify(message));
  }

  #sendText(text: string | Buffer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > maxBufferedBytes) return this.#socket.close(closeCodes.tooSlow, "resume later");
    this.#socket.send(text, { binary: false });
  }

  #parse(text: string): DeviceMessage | null {
    const parsed = parseMessage(DeviceMessage, text);
    if (parsed.is === "known") return parsed.message;
    this.#ignore(parsed.type ?? "malformed");
    return null;
  }

  #ignore(type: string): void {
    this.#ignoredCount += 1;
    this.#dependencies.log.warn({ player_id: this.playerId, type, count: this.#ignoredCount }, "ignored a device's message");
  }
}
