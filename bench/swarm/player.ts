// A lightweight simulated player without a screen: socket, hello, acknowledgements, heartbeats, states, and the real reconnect delays.
import { Agent, request } from "undici";
import { WebSocket } from "ws";
import { ReconnectDelay } from "../../src/player/link/reconnect-delay.ts";
import { deviceSubprotocol, type ServiceMessage, statePushFeature } from "../../src/protocol/device/messages.ts";

/** The statistics of a swarm. */
export interface SwarmStats {
  /** Times (ms since the epoch) of attempts to open a socket. */
  attempts: number[];
  /** Times of welcome messages. */
  welcomes: number[];
  /** Times of notifications of a new revision. */
  hints: number[];
  /** Times at which the new state was received or fetched. */
  states: number[];
  /** Commands received for the first time. */
  commands: number;
  /** Their ids, and the times at which they came. */
  commandTimes: { id: string; at: number }[];
  /** How long each heartbeat waited for its answer, ms. */
  answers: number[];
  /** Messages whose sequence number was not the next one. */
  gaps: number;
  /** Connections that could not resume. */
  lost: number;
  /** Failed state requests. */
  refused: number;
  connected: number;
}

/** What a real player takes. */
const features = [statePushFeature];
const now = (): number => performance.timeOrigin + performance.now();
// Real players have one connection each. Ten thousand in this process would only measure the process.
const dispatcher = new Agent({ connections: 50 });

export class SwarmPlayer {
  readonly #url: string;
  readonly #token: string;
  readonly #notes: SwarmStats;
  readonly #reconnect = new ReconnectDelay();
  #epoch: string | null = null;
  #lastSeq = 0;
  #revision: string | null = null;
  #messageId = 0;
  #heartbeat: NodeJS.Timeout | undefined;
  /** Of the open connection. */
  #sendHeartbeat: () => void = () => undefined;
  /** The heartbeats that were sent without an answer yet. The service answers in order. */
  #unanswered: { at: number; resolve: () => void }[] = [];

  constructor(url: string, token: string, notes: SwarmStats) {
    this.#url = url;
    this.#token = token;
    this.#notes = notes;
  }

  /** Opens the socket, and reopens it whenever it closes. Resolves at the first welcome. */
  start(): Promise<void> {
    return new Promise((resolve) => this.#open(resolve));
  }

  /** Sends a heartbeat at once. Resolves at its answer, or when the connection ends. */
  beat(): Promise<void> {
    const count = this.#unanswered.length;
    this.#sendHeartbeat();
    // It is not connected.
    if (this.#unanswered.length === count) return new Promise((resolve) => setImmediate(resolve));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#unanswered.at(-1)!.resolve = resolve;
    return promise;
  }

  #open(onWelcome: () => void): void {
    const notes = this.#notes;
    notes.attempts.push(now());
    const openedAt = now();
    const socket = new WebSocket(`${this.#url.replace("http", "ws")}/api/v1/device/ws`, deviceSubprotocol, {
      headers: { authorization: `Bearer ${this.#token}` },
      perMessageDeflate: false,
    });
    let welcomed = false;
    let reconnectAfterMs: number | null = null;
    const currentHeartbeat = () => heartbeat(this.#revision);
    const send = (type: string, data: object) =>
      socket.send(JSON.stringify({ type, id: String(++this.#messageId), ts: now(), ack: this.#lastSeq, data }));
    const sendHeartbeat = () => {
      if (socket.readyState !== socket.OPEN) return;
      this.#unanswered.push({ at: performance.now(), resolve: () => undefined });
      send("heartbeat", currentHeartbeat());
    };
    const received = (): void => {
      notes.states.push(now());
      sendHeartbeat();
    };
    socket.on("open", () =>
      send("hello", { epoch: this.#epoch, last_seq: this.#lastSeq, revision: this.#revision, heartbeat: currentHeartbeat(), features }),
    );
    socket.on("message", (raw: Buffer) => {
      const message = JSON.parse(raw.toString()) as ServiceMessage;
      if (message.type === "welcome") {
        welcomed = true;
        notes.connected += 1;
        notes.welcomes.push(now());
        if (this.#epoch !== null && !message.data.resumed) notes.lost += 1;
        this.#epoch = message.data.epoch;
        this.#sendHeartbeat = sendHeartbeat;
        this.#repeat(message.data.heartbeat_ms, sendHeartbeat);
        onWelcome();
        if (message.data.answer.revision !== this.#revision) void this.#fetch(sendHeartbeat);
      }
      if (message.type === "heartbeat.answer") {
        const answered = this.#unanswered.shift();
        if (answered !== undefined) notes.answers.push(performance.now() - answered.at);
        answered?.resolve();
      }
      if ((message.type === "welcome" || message.type === "heartbeat.answer") && message.data.reconnect_spread_ms !== undefined)
        this.#reconnect.setSpread(message.data.reconnect_spread_ms);
      if (message.type === "state.changed") {
        notes.hints.push(now());
        if (message.data.state === undefined) void this.#fetch(received);
        else {
          this.#revision = message.data.revision;
          received();
        }
      }
      if (message.type === "goaway") reconnectAfterMs = message.data.reconnect_after_ms;
      if (message.seq === undefined) return;
      if (message.type !== "welcome" && message.seq !== this.#lastSeq + 1) notes.gaps += 1;
      if (message.type === "command" && message.seq > this.#lastSeq) {
        notes.commands += 1;
        notes.commandTimes.push({ id: commandIdOf(message.data.command), at: now() });
      }
      this.#lastSeq = Math.max(this.#lastSeq, message.seq);
      send("ack", {});
    });
    // "close" follows and handles it.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(this.#heartbeat);
      for (const { resolve } of this.#unanswered.splice(0)) resolve();
      if (welcomed) notes.connected -= 1;
      this.#reconnect.connectionEnded(now() - openedAt);
      setTimeout(() => this.#open(onWelcome), reconnectAfterMs ?? this.#reconnect.next());
    });
  }

  /** Fetches the state and reports it as applied at once, like a player that has all files. */
  async #fetch(applied: () => void): Promise<void> {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(this.#revision === null ? {} : { "if-none-match": `"${this.#revision}"` }),
    };
    try {
      const { statusCode, body } = await request(`${this.#url}/api/v1/device/state`, { headers, dispatcher });
      const text = await body.text();
      if (statusCode === 200) this.#revision = (JSON.parse(text) as { revision: string }).revision;
      if (statusCode === 200) applied();
      else this.#notes.refused += 1;
    } catch {
      // The service is gone. The next welcome says what to fetch.
      this.#notes.refused += 1;
    }
  }

  #repeat(everyMs: number, send: () => void): void {
    clearTimeout(this.#heartbeat);
    this.#heartbeat = setTimeout(
      () => {
        send();
        this.#repeat(everyMs, send);
      },
      everyMs * (0.9 + 0.2 * Math.random()),
    );
  }
}

/** The id of a signed command. Its signature is not checked. */
function commandIdOf(jws: string): string {
  return (JSON.parse(Buffer.from(jws.split(".")[1]!, "base64url").toString()) as { jti: string }).jti;
}

/** A heartbeat of typical size: an applied revision and one item on screen. */
function heartbeat(applied: string | null): object {
  const at = new Date().toISOString();
  const revision = applied ?? "0123456789abcdef0123456789abcdef";
  const item = { zone_id: "zon_01jd3v8q6m9x2k4n7r5t1w0yzh", item_id: "itm_01jd3v8q6m9x2k4n7r5t1w0yzh", asset_id: null, presented_at: at };
  return {
    boot_id: "5f0c2f6e-7a0f-4b0e-9d53-0c8f1f0a4f11",
    sent_at_ms: now(),
    uptime_ms: 3_600_000,
    player_version: "0.1.0",
    engine: "chromium 156",
    hardware: "Swarm",
    timezone: "Europe/London",
    resolution: { width: 1920, height: 1080 },
    content: { is: "applied", revision, applied_revision: revision, ready_bytes: 1, total_bytes: 1, detail: null },
    now_playing: [item],
    rendering: true,
    last_frame_at: at,
    memory_bytes: 300_000_000,
    cpu_load: 0.4,
    temperature_c: null,
    disk_free_bytes: 10_000_000_000,
    clock_offset_ms: 0,
    clock_error_ms: 1,
  };
}
