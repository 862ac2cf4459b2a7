// A lean simulated player: the device's socket with hello, acknowledgements, heartbeats and the waits of the real one, and no screen.
import { WebSocket } from "ws";
import { Backoff } from "../../src/base/backoff.ts";
import { deviceSubprotocol, type ServiceMessage } from "../../src/protocol/wire.ts";

/** What a swarm writes down. */
export interface Notes {
  /** Instants (ms since the epoch) of attempts to open a socket. */
  attempts: number[];
  /** Instants of welcomes. */
  welcomes: number[];
  /** Instants at which a hint of a new revision came over an open socket. */
  hints: number[];
  /** Commands heard for the first time. */
  commands: number;
  /** Messages whose place in the journal was not the next one. */
  gaps: number;
  /** Welcomes that could not resume. */
  lost: number;
  connected: number;
}

const now = (): number => performance.timeOrigin + performance.now();

export class SwarmPlayer {
  readonly #url: string;
  readonly #token: string;
  readonly #notes: Notes;
  // As in src/player/connection.ts.
  readonly #backoff = new Backoff({ firstMs: 1_000, longestMs: 60_000 });
  #epoch: string | null = null;
  #lastSeq = 0;
  #spreadMs = 0;
  #messageId = 0;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(url: string, token: string, notes: Notes) {
    this.#url = `${url.replace("http", "ws")}/api/v1/device/ws`;
    this.#token = token;
    this.#notes = notes;
  }

  /** Opens the socket, and again whenever it ends; resolves at the first welcome. */
  start(): Promise<void> {
    return new Promise((resolve) => this.#open(resolve));
  }

  #open(onWelcome: () => void): void {
    const notes = this.#notes;
    notes.attempts.push(now());
    const socket = new WebSocket(this.#url, deviceSubprotocol, {
      headers: { authorization: `Bearer ${this.#token}` },
      perMessageDeflate: false,
    });
    let welcomed = false;
    let reconnectAfterMs: number | null = null;
    const send = (type: string, data: object) =>
      socket.send(JSON.stringify({ type, id: String(++this.#messageId), ts: now(), ack: this.#lastSeq, data }));
    socket.on("open", () => send("hello", { epoch: this.#epoch, last_seq: this.#lastSeq, revision: null, heartbeat: heartbeat() }));
    socket.on("message", (raw: Buffer) => {
      const message = JSON.parse(raw.toString()) as ServiceMessage;
      if (message.type === "welcome") {
        welcomed = true;
        notes.connected += 1;
        notes.welcomes.push(now());
        if (this.#epoch !== null && !message.data.resumed) notes.lost += 1;
        this.#epoch = message.data.epoch;
        this.#spreadMs = message.data.reconnect_spread_ms;
        this.#backoff.reset();
        this.#beat(message.data.heartbeat_ms, () => send("heartbeat", heartbeat()));
        onWelcome();
      }
      if (message.type === "state.changed") notes.hints.push(now());
      if (message.type === "goaway") reconnectAfterMs = message.data.reconnect_after_ms;
      if (message.seq === undefined) return;
      if (message.type !== "welcome" && message.seq !== this.#lastSeq + 1) notes.gaps += 1;
      if (message.type === "command" && message.seq > this.#lastSeq) notes.commands += 1;
      this.#lastSeq = Math.max(this.#lastSeq, message.seq);
      send("ack", {});
    });
    // "close" follows and does the rest.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(this.#heartbeat);
      if (welcomed) notes.connected -= 1;
      const spreadMs = welcomed ? Math.random() * this.#spreadMs : 0;
      setTimeout(() => this.#open(onWelcome), reconnectAfterMs ?? spreadMs + this.#backoff.next());
    });
  }

  #beat(everyMs: number, send: () => void): void {
    clearTimeout(this.#heartbeat);
    this.#heartbeat = setTimeout(
      () => {
        send();
        this.#beat(everyMs, send);
      },
      everyMs * (0.9 + 0.2 * Math.random()),
    );
  }
}

/** One of usual size: an applied revision, one item on screen. */
function heartbeat(): object {
  const at = new Date().toISOString();
  const revision = "0123456789abcdef0123456789abcdef";
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
