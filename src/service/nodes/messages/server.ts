// The connection to the message server (NATS core), which speeds up announcements. It may be away at any time, without a loss.
import type { NatsConnection } from "@nats-io/transport-node";
import { Backoff } from "../../../base/async/backoff.ts";
import { Signal } from "../../../base/async/signal.ts";
import type { Clock } from "../../../base/clock.ts";
import { Fault, isFault, reasonOf } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import { judgeNatsVersion } from "./nats-version.ts";

export interface MessagesConfig {
  /** `nats://[user:password@]host:port` or `tls://…`. */
  url: string;
  /** PEM files; default: the authorities that Node trusts, and no certificate of the client. */
  tls?: { ca?: string; cert?: string; key?: string } | null;
  /** Accepts versions of nats-server with known security holes, for tests. */
  acceptsOldServer?: boolean;
}

interface MessageServerDependencies {
  config: MessagesConfig;
  /** Where all messages of the service go. */
  subject: string;
  nodeId: string;
  clock: Clock;
  log: Log;
  onMessage: (text: string) => void;
  /** Called when the server is connected or away. */
  onChange: () => void;
}

const connectMs = 5_000;
const bounds = { firstMs: 500, longestMs: 10_000 };
const pingMs = 5_000;

export class MessageServer {
  readonly #dependencies: MessageServerDependencies;
  #connection: NatsConnection | null = null;
  #isConnected = false;
  readonly #ended = new Signal();

  constructor(dependencies: MessageServerDependencies) {
    this.#dependencies = dependencies;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Sends a message to the other nodes. @returns false: it was not sent, because the server is away or it is too large. */
  send(text: string): boolean {
    const connection = this.#connection;
    if (connection === null || !this.#isConnected) return false;
    const bytes = Buffer.from(text);
    if (bytes.length > (connection.info?.max_payload ?? 0)) return false;
    connection.publish(this.#dependencies.subject, bytes);
    return true;
  }

  /** The first attempt. An unreachable server is tried again by {@link run}. @throws Fault `unsupported` when it is too old. */
  async open(): Promise<void> {
    await this.#connect().catch((error: unknown) => {
      if (isFault(error, "unsupported")) throw error;
      this.#dependencies.log.warn({ reason: reasonOf(error) }, "the message server cannot be reached: changes are found by polling");
    });
  }

  /** Keeps a connection until `signal` aborts; rejects with an AbortError then. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock, log } = this.#dependencies;
    const backoff = new Backoff(bounds);
    try {
      for (;;) {
        if (this.#connection !== null) {
          backoff.reset();
          // The library reconnects by itself and for ever; the connection ends only with an error that it does not forgive.
          await this.#ended.wait(clock, Infinity, signal);
          this.#connection = null;
        }
        await clock.wait(backoff.next(), signal);
        await this.#connect().catch((error: unknown) => {
          log.debug({ reason: reasonOf(error) }, "the message server cannot be reached");
        });
      }
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    this.#isConnected = false;
    await connection?.close();
  }

  async #connect(): Promise<void> {
    const { config, nodeId, subject, onMessage } = this.#dependencies;
    const { connect } = await import("@nats-io/transport-node");
    const { servers, user, pass, tls } = connectionOf(config);
    const connection = await connect({
      servers,
      ...(user === undefined ? {} : { user, pass: pass ?? "" }),
      ...(tls === null ? {} : { tls }),
      name: `signage-service ${nodeId}`,
      timeout: connectMs,
      pingInterval: pingMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: bounds.firstMs,
      reconnectJitter: bounds.firstMs,
      ignoreAuthErrorAbort: true,
      noEcho: true,
    });
    try {
      this.#checkVersion(connection);
    } catch (error) {
      await connection.close();
      throw error;
    }
    connection.subscribe(subject, { callback: (error, message) => void (error === null && onMessage(message.string())) });
    this.#connection = connection;
    this.#setConnected(true);
    this.#watch(connection).catch((error: unknown) => this.#dependencies.log.error({ err: error }, "the message server cannot be watched"));
  }

  #checkVersion(connection: NatsConnection): void {
    const { config, log } = this.#dependencies;
    const verdict = judgeNatsVersion(connection.info?.version ?? "");
    if (verdict.is === "good") return;
    if (verdict.is === "refused" && config.acceptsOldServer !== true) {
      throw new Fault("unsupported", `${verdict.reason}. --messages-accept-old-server accepts the risk`);
    }
    log.warn({ reason: verdict.reason }, "the message server has known security holes");
  }

  async #watch(connection: NatsConnection): Promise<void> {
    const { log } = this.#dependencies;
    for await (const status of connection.status()) {
      if (this.#connection !== connection) continue;
      if (status.type === "disconnect") this.#setConnected(false);
      else if (status.type === "reconnect") {
        // Another server may have taken its place.
        try {
          this.#checkVersion(connection);
          this.#setConnected(true);
        } catch (error) {
          log.error({ reason: reasonOf(error) }, "the message server is not used");
          await connection.close();
        }
      } else if (status.type === "error") log.warn({ reason: reasonOf(status.error) }, "the message server reports an error");
    }
    if (this.#connection !== connection) return;
    this.#setConnected(false);
    this.#ended.notify();
  }

  #setConnected(isConnected: boolean): void {
    if (this.#isConnected === isConnected) return;
    this.#isConnected = isConnected;
    const { log, onChange } = this.#dependencies;
    if (isConnected) log.info("the message server is connected");
    else log.warn("the message server is away: changes are found by polling");
    onChange();
  }
}

/** Takes the password out of the address, which the library would show in its messages. */
function connectionOf({ url, tls }: MessagesConfig) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const files = {
    ...(tls?.ca !== undefined && { caFile: tls.ca }),
    ...(tls?.cert !== undefined && { certFile: tls.cert }),
    ...(tls?.key !== undefined && { keyFile: tls.key }),
  };
  return {
    servers: `${hostname}:${port === "" ? "4222" : port}`,
    user: username === "" ? undefined : decodeURIComponent(username),
    pass: password === "" ? undefined : decodeURIComponent(password),
    tls: protocol === "tls:" || Object.keys(files).length > 0 ? files : null,
  };
}
