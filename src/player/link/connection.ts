// Keeps the player connected to the service: by a WebSocket that is reopened after each end, or by polling where sockets are blocked.
import { Signal } from "../../base/async/signal.ts";
import type { CorrectedClock } from "../../base/clock.ts";
import { Fault, isAbort, isFault, reasonOf } from "../../base/fault.ts";
import { Observable, type Watchable } from "../../base/async/observable.ts";
import type { Log } from "../../base/log.ts";
import { runAll } from "../../base/async/run-all.ts";
import type { Heartbeat, HeartbeatAnswer } from "../../protocol/device/heartbeat.ts";
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import { parseMessage, ServiceMessage, statePushFeature, type DeviceMessage } from "../../protocol/device/messages.ts";
import type { AccessTokens } from "./access.ts";
import type { ServiceApi } from "./service-api.ts";
import { DeviceSocket } from "./device-socket.ts";
import { HeartbeatSequence } from "./heartbeat-sequence.ts";
import { Impairment, type Link } from "./impairment.ts";
import { ReconnectDelay } from "./reconnect-delay.ts";
import { diagnoseConnectivity } from "./connectivity-diagnosis.ts";

export interface ConnectionDependencies {
  api: ServiceApi;
  accessTokens: AccessTokens;
  clock: CorrectedClock;
  log: Log;
  createHeartbeat: () => Promise<Heartbeat>;
  /** Called with the newest revision that the service names. @param sent its state; null: the service has not sent it */
  onRevision: (revision: string, sent: DesiredState | null) => void;
  /** Called with each signed command. */
  onCommand: (jws: string, signal: AbortSignal) => Promise<void>;
  /** Called with each revocation, not verified yet. */
  onRevocation: (jws: string) => Promise<void>;
}

/** How long a player waits for the handshake, then for the welcome. */
export const connectLimits = { handshakeMs: 10_000, welcomeMs: 10_000 };
// Commands must arrive within ten seconds, also while an attempt to open a socket hangs.
export const pollMs = 4_000;
export const connectLimitsWhilePolling = { handshakeMs: 3_000, welcomeMs: 1_500 };
const heartbeatJitter = 0.1;
/** The player's features beyond the first protocol. */
const features = [statePushFeature];

export class Connection {
  readonly #dependencies: ConnectionDependencies;
  readonly #link = new Observable<Link>({ is: "connecting" });
  readonly #reconnectDelay = new ReconnectDelay();
  readonly #heartbeatDue = new Signal();
  readonly #impairment = new Impairment();
  readonly #heartbeats = new HeartbeatSequence();
  // Kept in memory only: after a restart the player fetches everything again.
  #epoch: string | null = null;
  #lastSeq = 0;
  #heartbeatMs = 30_000;
  #unknownMessages = 0;
  #messageId = 0;
  #answeredAt: number | null = null;

  constructor(dependencies: ConnectionDependencies) {
    this.#dependencies = dependencies;
  }

  get link(): Watchable<Link> {
    return this.#link;
  }

  /** Why the service cannot be reached now, for people; null: it can. */
  get trouble(): string | null {
    const { value } = this.#link;
    return value.is === "offline" ? value.trouble.text : null;
  }

  /** When the service last answered a heartbeat, monotonic ms; null if never. */
  get answeredAt(): number | null {
    return this.#answeredAt;
  }

  /** The impairment of the connection, and its duration; null: none. */
  get impairment(): ReturnType<Impairment["describe"]> {
    return this.#impairment.describe(this.#dependencies.clock.monotonic());
  }

  /** Connects and reconnects until `signal` aborts. @throws Fault `revoked`; AbortError. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock } = this.#dependencies;
    this.#link.watch((link) => this.#impairment.linkChanged(link, clock.monotonic()), signal);
    for (;;) {
      const startedAt = clock.monotonic();
      let waitMs: number;
      try {
        const requestedWaitMs = await this.#runSocket(signal);
        this.#reconnectDelay.connectionEnded(clock.monotonic() - startedAt);
        waitMs = requestedWaitMs ?? this.#reconnectDelay.next();
        this.#link.set({ is: "connecting" });
      } catch (error) {
        if ((isAbort(error) && signal.aborted) || isFault(error, "revoked")) throw error;
        waitMs = Math.max(this.#reconnectDelay.next(), this.#link.value.is === "polling" ? pollMs : 0);
        await this.#poll(reasonOf(error), waitMs, signal);
      }
      await this.#waitToReconnect(waitMs, signal);
    }
  }

  /** Sends a heartbeat at once, because something that it reports has changed. */
  sendHeartbeatNow(): void {
    this.#heartbeatDue.notify();
  }

  /**
   * Waits before the next socket, and polls meanwhile if the socket is blocked. A requested heartbeat may poll early, but must not
   * reconnect early: a whole fleet may request one at the same time.
   */
  async #waitToReconnect(waitMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#dependencies;
    const reconnectAt = clock.monotonic() + waitMs;
    for (let leftMs = waitMs; leftMs > 0; leftMs = reconnectAt - clock.monotonic()) {
      const { value } = this.#link;
      if (value.is !== "polling") return clock.wait(leftMs, signal);
      await this.#heartbeatDue.wait(clock, Math.min(leftMs, pollMs), signal);
      if (clock.monotonic() < reconnectAt) await this.#poll(value.reason, reconnectAt - clock.monotonic(), signal);
    }
  }

  /**
   * Sends one heartbeat over HTTP after the socket failed, to find out whether the service is reachable, and to get commands.
   * @param reason why the socket fails. @param waitMs until the next socket.
   */
  async #poll(reason: string, waitMs: number, signal: AbortSignal): Promise<void> {
    const { api, accessTokens, clock, log } = this.#dependencies;
    try {
      const heartbeat = await this.#dependencies.createHeartbeat();
      const answer = await accessTokens.withToken(signal, (token) => api.heartbeat(token, heartbeat, signal));
      await this.#handleAnswer(answer, signal);
      if (this.#link.value.is !== "polling") log.warn({ reason }, "the socket is blocked: polling");
      this.#link.set({ is: "polling", reason });
    } catch (error) {
      if ((isAbort(error) && signal.aborted) || isFault(error, "revoked")) throw error;
      if (this.#link.value.is !== "offline") log.warn({ reason: reasonOf(error) }, "the service is unreachable");
      this.#link.set({
        is: "offline",
        trouble: diagnoseConnectivity(error, api.server, clock.machineNow(), clock.now() + waitMs),
      });
    }
  }

  /** Runs one socket from hello to its end. Resolves to the wait in ms that a `goaway` asked for before the next one, else to null. */
  async #runSocket(outer: AbortSignal): Promise<number | null> {
    const { api, accessTokens, clock, log } = this.#dependencies;
    const token = await accessTokens.token(outer);
    const welcome = new Signal();
    const limits = this.#link.value.is === "polling" ? connectLimitsWhilePolling : connectLimits;
    let isWelcomed = false;
    let reconnectAfterMs: number | null = null;
    try {
      using socket = await DeviceSocket.open(api.socketUrl, token, api.network, clock, outer, limits.handshakeMs);
      const onMessage = async (text: string): Promise<void> => {
        const message = this.#parse(text);
        if (message === null) return;
        if (message.type === "goaway") reconnectAfterMs = message.data.reconnect_after_ms;
        if (message.type === "welcome") {
          isWelcomed = true;
          welcome.notify();
        }
        await this.#handle(message, outer);
        if (message.seq === undefined) return;
        this.#lastSeq = Math.max(this.#lastSeq, message.seq);
        this.#send(socket, { type: "ack", data: {} });
      };
      const sendMessages = async (signal: AbortSignal): Promise<void> => {
        await this.#sendHello(socket);
        await welcome.wait(clock, limits.welcomeMs, signal);
        if (!isWelcomed) throw new Fault("timeout", "the service did not send a welcome");
        await this.#sendHeartbeats(socket, signal);
      };
      return await runAll([(end) => socket.receive(onMessage, end), (end) => socket.watchForSilence(end), sendMessages], outer);
    } catch (error) {
      if (isFault(error, "refused")) accessTokens.discard(token);
      if (!isWelcomed || outer.aborted || isFault(error, "revoked")) throw error;
      log.warn({ reason: reasonOf(error) }, "connection lost");
      return reconnectAfterMs;
    }
  }

  async #sendHello(socket: DeviceSocket): Promise<void> {
    const heartbeat = await this.#dependencies.createHeartbeat();
    const data = { epoch: this.#epoch, last_seq: this.#lastSeq, revision: heartbeat.content.applied_revision, heartbeat, features };
    this.#heartbeats.begin(this.#send(socket, { type: "hello", data }), heartbeat);
  }

  async #sendHeartbeats(socket: DeviceSocket, signal: AbortSignal): Promise<never> {
    for (;;) {
      const jitter = 1 + heartbeatJitter * (2 * Math.random() - 1);
      await this.#heartbeatDue.wait(this.#dependencies.clock, this.#heartbeatMs * jitter, signal);
      this.#heartbeats.send(await this.#dependencies.createHeartbeat(), (message) => this.#send(socket, message));
    }
  }

  /** @returns the message's id. */
  #send(socket: DeviceSocket, message: Pick<DeviceMessage, "type" | "data">): string {
    const id = String(++this.#messageId);
    socket.send({ id, ts: this.#dependencies.clock.raw(), ack: this.#lastSeq, ...message });
    return id;
  }

  #parse(text: string): ServiceMessage | null {
    const parsed = parseMessage(ServiceMessage, text);
    if (parsed.is === "known") return parsed.message;
    this.#unknownMessages += 1;
    const { type, reason } = parsed;
    this.#dependencies.log.warn({ type, reason, count: this.#unknownMessages }, "ignored a message that this player does not know");
    // Acknowledge its number in the service's journal all the same, or the service would send it again on every connection.
    if (parsed.seq !== undefined) this.#lastSeq = Math.max(this.#lastSeq, parsed.seq);
    return null;
  }

  async #handle(message: ServiceMessage, signal: AbortSignal): Promise<void> {
    const { log, onRevision, onCommand, onRevocation } = this.#dependencies;
    switch (message.type) {
      case "welcome":
        if (!message.data.resumed) this.#lastSeq = 0;
        this.#epoch = message.data.epoch;
        this.#heartbeats.welcomed(message.data.features);
        this.#heartbeatMs = message.data.heartbeat_ms;
        this.#reconnectDelay.setSpread(message.data.reconnect_spread_ms);
        this.#link.set({ is: "online" });
        log.info({ resumed: message.data.resumed }, "connected");
        return this.#handleAnswer(message.data.answer, signal);
      case "heartbeat.answer":
        if (message.data.reconnect_spread_ms !== undefined) this.#reconnectDelay.setSpread(message.data.reconnect_spread_ms);
        return this.#handleAnswer(message.data, signal);
      case "heartbeat.wanted":
        this.#heartbeats.sendWhole();
        return this.sendHeartbeatNow();
      case "state.changed":
        return onRevision(message.data.revision, message.data.state ?? null);
      case "command":
        return onCommand(message.data.command, signal);
      case "revoked":
        return onRevocation(message.data.revocation);
      case "goaway":
        return;
    }
  }

  async #handleAnswer(answer: HeartbeatAnswer, signal: AbortSignal): Promise<void> {
    const { api, clock, log, onRevision, onCommand } = this.#dependencies;
    this.#answeredAt = clock.monotonic();
    clock.learn({
      t0: answer.sent_at_ms,
      t1: answer.received_at_ms,
      t2: answer.answered_at_ms,
      t3: clock.raw(),
      isAuthenticated: api.server.protocol === "https:",
    });
    if (this.#impairment.identityShared(answer.identity_shared ?? false))
      log.warn("another device uses this player's identity, as a clone of its disk does: pair one of them again");
    onRevision(answer.revision, null);
    for (const command of answer.commands) await onCommand(command, signal);
  }
}
