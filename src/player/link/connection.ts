// The link to the service: a WebSocket that is opened again for ever, and polling where sockets are blocked.
import { Signal } from "../../base/async/signal.ts";
import type { CorrectedClock } from "../../base/clock.ts";
import { Fault, isAbort, isFault, reasonOf } from "../../base/fault.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import { runAll } from "../../base/async/run-all.ts";
import type { Heartbeat, HeartbeatAnswer } from "../../protocol/device/heartbeat.ts";
import type { Trouble } from "../../protocol/scene.ts";
import { parseMessage, ServiceMessage, type DeviceMessage } from "../../protocol/device/messages.ts";
import type { AccessTokens } from "./access.ts";
import type { ServiceApi } from "./service-api.ts";
import { DeviceSocket } from "./device-socket.ts";
import { ReconnectDelay } from "./reconnect-delay.ts";
import { diagnoseConnectivity } from "./connectivity-diagnosis.ts";

/** How the service is reached. Offline says why; revoked comes from Access and ends the connection instead. */
export type Link = { is: "connecting" } | { is: "online" } | { is: "polling" } | { is: "offline"; trouble: Trouble };

/** What the connection hears and needs. */
export interface ConnectionDependencies {
  api: ServiceApi;
  accessTokens: AccessTokens;
  clock: CorrectedClock;
  log: Log;
  createHeartbeat(): Promise<Heartbeat>;
  /** The revision that the service wants on screen: from a hint or an answer. */
  onRevision(revision: string): void;
  onCommand(jws: string, signal: AbortSignal): Promise<void>;
  /** A revocation as it came; rejects when it proves nothing. */
  onRevocation(jws: string): void;
}

const welcomeLimitMs = 10_000;
const heartbeatJitter = 0.1;

/** Keeps the link until `signal` aborts. */
export class Connection {
  readonly #parts: ConnectionDependencies;
  readonly #link = new Observable<Link>({ is: "connecting" });
  readonly #reconnect = new ReconnectDelay();
  // The journal is known for the life of this program only: after a restart all is fetched anew.
  #epoch: string | null = null;
  #lastSeq = 0;
  #heartbeatMs = 30_000;
  #unknown = 0;
  #messageId = 0;
  readonly #news = new Signal();

  constructor(parts: ConnectionDependencies) {
    this.#parts = parts;
  }

  get link(): Watchable<Link> {
    return this.#link;
  }

  /** Connects, and again after each end. @throws Fault `revoked`; AbortError when `signal` aborts. */
  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      const { clock } = this.#parts;
      const begun = clock.monotonic();
      let waitMs: number;
      try {
        const goaway = await this.#session(signal);
        this.#reconnect.connectionEnded(clock.monotonic() - begun);
        waitMs = goaway ?? this.#reconnect.next();
        this.#link.set({ is: "connecting" });
      } catch (error) {
        if (isAbort(error) && signal.aborted) throw error;
        if (isFault(error, "revoked")) throw error;
        waitMs = await this.#afterFailure(error, signal);
      }
      // News are worth a poll. They are not worth an earlier attempt where nobody answers: a whole fleet may have the same news.
      if (this.#link.value.is === "polling") await this.#news.wait(clock, waitMs, signal);
      else await clock.wait(waitMs, signal);
    }
  }

  /** Something that the heartbeat tells has changed: it is sent now instead of at its next time. */
  sendHeartbeatNow(): void {
    this.#news.notify();
  }

  /** A socket could not be had: one poll says whether the service can be reached at all. Resolves to the wait. */
  async #afterFailure(socketError: unknown, signal: AbortSignal): Promise<number> {
    const { api, accessTokens: access, clock, log } = this.#parts;
    const waitMs = this.#reconnect.next();
    try {
      const beat = await this.#parts.createHeartbeat();
      await this.#take(await access.withToken(signal, (token) => api.heartbeat(token, beat, signal)), signal);
      if (this.#link.value.is !== "polling") log.warn({ reason: reasonOf(socketError) }, "the socket is blocked: polling");
      this.#link.set({ is: "polling" });
      return Math.min(Math.max(waitMs, 1_000), this.#heartbeatMs);
    } catch (error) {
      if (isAbort(error) && signal.aborted) throw error;
      if (isFault(error, "revoked")) throw error;
      if (this.#link.value.is !== "offline") log.warn({ reason: reasonOf(error) }, "the service is out of reach");
      this.#link.set({
        is: "offline",
        trouble: diagnoseConnectivity(error, api.server, clock.raw(), clock.now() + waitMs),
      });
      return waitMs;
    }
  }

  /** One socket from hello to its end. Resolves to the wait that a `goaway` asked for, else to null. */
  async #session(outer: AbortSignal): Promise<number | null> {
    const { api, accessTokens: access, clock, log } = this.#parts;
    const token = await access.token(outer);
    const greeting = new Signal();
    let welcomed = false;
    let reconnectAfterMs: number | null = null;
    try {
      using socket = await DeviceSocket.open(api.socketUrl, token, clock, outer);
      const onMessage = async (text: string): Promise<void> => {
        const message = this.#read(text);
        if (message === null) return;
        if (message.type === "goaway") reconnectAfterMs = message.data.reconnect_after_ms;
        if (message.type === "welcome") {
          welcomed = true;
          greeting.notify();
        }
        await this.#handle(message, outer);
        if (message.seq === undefined) return;
        this.#lastSeq = Math.max(this.#lastSeq, message.seq);
        this.#send(socket, { type: "ack", data: {} });
      };
      const greetAndBeat = async (signal: AbortSignal): Promise<void> => {
        await this.#greet(socket);
        await greeting.wait(clock, welcomeLimitMs, signal);
        if (!welcomed) throw new Fault("timeout", "the service did not say welcome");
        await this.#beat(socket, signal);
      };
      return await runAll([(end) => socket.receive(onMessage, end), (end) => socket.watchForSilence(end), greetAndBeat], outer);
    } catch (error) {
      if (isFault(error, "refused")) access.discard(token);
      if (!welcomed || outer.aborted || isFault(error, "revoked")) throw error;
      log.warn({ reason: reasonOf(error) }, "connection lost");
      return reconnectAfterMs;
    }
  }

  async #greet(socket: DeviceSocket): Promise<void> {
    const heartbeat = await this.#parts.createHeartbeat();
    const data = { epoch: this.#epoch, last_seq: this.#lastSeq, revision: heartbeat.content.applied_revision, heartbeat };
    this.#send(socket, { type: "hello", data });
  }

  async #beat(socket: DeviceSocket, signal: AbortSignal): Promise<never> {
    for (;;) {
      const jitter = 1 + heartbeatJitter * (2 * Math.random() - 1);
      await this.#news.wait(this.#parts.clock, this.#heartbeatMs * jitter, signal);
      this.#send(socket, { type: "heartbeat", data: await this.#parts.createHeartbeat() });
    }
  }

  #send(socket: DeviceSocket, message: Pick<DeviceMessage, "type" | "data">): void {
    socket.send({ id: String(++this.#messageId), ts: this.#parts.clock.raw(), ack: this.#lastSeq, ...message });
  }

  #read(text: string): ServiceMessage | null {
    const read = parseMessage(ServiceMessage, text);
    if (read.is === "known") return read.message;
    this.#unknown += 1;
    this.#parts.log.warn({ type: read.type, count: this.#unknown }, "ignored a message that this player does not know");
    // Its place in the journal is passed all the same, or it would come for ever.
    if (read.seq !== undefined) this.#lastSeq = Math.max(this.#lastSeq, read.seq);
    return null;
  }

  async #handle(message: ServiceMessage, signal: AbortSignal): Promise<void> {
    switch (message.type) {
      case "welcome":
        if (!message.data.resumed) this.#lastSeq = 0;
        this.#epoch = message.data.epoch;
        this.#heartbeatMs = message.data.heartbeat_ms;
        this.#reconnect.setSpread(message.data.reconnect_spread_ms);
        this.#link.set({ is: "online" });
        this.#parts.log.info({ resumed: message.data.resumed }, "connected");
        return this.#take(message.data.answer, signal);
      case "heartbeat.answer":
        if (message.data.reconnect_spread_ms !== undefined) this.#reconnect.setSpread(message.data.reconnect_spread_ms);
        return this.#take(message.data, signal);
      case "state.changed":
        return this.#parts.onRevision(message.data.revision);
      case "command":
        return this.#parts.onCommand(message.data.command, signal);
      case "revoked":
        return this.#parts.onRevocation(message.data.revocation);
      case "goaway":
        return;
    }
  }

  async #take(answer: HeartbeatAnswer, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    clock.learn({
      t0: answer.sent_at_ms,
      t1: answer.received_at_ms,
      t2: answer.answered_at_ms,
      t3: clock.raw(),
    });
    this.#parts.onRevision(answer.revision);
    for (const command of answer.commands) await this.#parts.onCommand(command, signal);
  }
}
