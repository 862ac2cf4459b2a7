// Everything that a session does over the network: the connection, the desired state, the outbox, play events and revocation.
import { Listeners } from "../base/async/listeners.ts";
import { runAll } from "../base/async/run-all.ts";
import { unlessAborted } from "../base/async/unless-aborted.ts";
import type { CorrectedClock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { Heartbeat } from "../protocol/device/heartbeat.ts";
import { AccessTokens, isValidRevocation } from "./link/access.ts";
import { Connection } from "./link/connection.ts";
import { createDeviceApiClient, type DeviceApiClient } from "./link/device-api-client.ts";
import type { ServiceApi } from "./link/service-api.ts";
import type { HttpFault } from "./link/service-http.ts";
import type { OutboxMessage } from "./outbox/outbox-message.ts";
import type { Identity, Pairing } from "./pairing/identity.ts";
import type { SessionStores } from "./session-stores.ts";

export interface ServiceLinkDependencies {
  api: ServiceApi;
  identity: Identity;
  pairing: Pairing;
  clock: CorrectedClock;
  log: Log;
  stores: Pick<SessionStores, "desired" | "commands" | "outbox" | "proof">;
  createHeartbeat: () => Promise<Heartbeat>;
  onServiceKey: (key: string) => Promise<void>;
}

export class ServiceLink {
  readonly connection: Connection;
  readonly client: DeviceApiClient;
  /** The messages of the outbox that the service has accepted. */
  readonly delivered = new Listeners<OutboxMessage>();
  readonly #dependencies: ServiceLinkDependencies;
  readonly #accessTokens: AccessTokens;
  #endRevoked: (revoked: Fault) => void = () => undefined;

  constructor(dependencies: ServiceLinkDependencies) {
    const { api, identity, pairing, clock, log, stores, createHeartbeat, onServiceKey } = dependencies;
    this.#dependencies = dependencies;
    this.#accessTokens = new AccessTokens(api, identity, pairing, clock, onServiceKey);
    this.client = createDeviceApiClient(api, this.#accessTokens);
    this.connection = new Connection({
      api,
      accessTokens: this.#accessTokens,
      clock,
      log,
      createHeartbeat,
      onRevision: (revision, sent) => stores.desired.hear(revision, sent),
      onCommand: (jws, signal) => stores.commands.receive(jws, signal),
      onRevocation: async (jws) => {
        if (await isValidRevocation(jws, identity, pairing, log))
          this.#endRevoked(new Fault("revoked", "the service has revoked this screen"));
      },
    });
  }

  /** Runs until `signal` aborts. @throws Fault `revoked`, proven by the service's pinned key. */
  run(signal: AbortSignal): Promise<never> {
    const { api, clock, stores } = this.#dependencies;
    return runAll(
      [
        (end) => this.connection.run(end),
        (end) => stores.desired.run(api, this.#accessTokens, clock, end),
        (end) => stores.outbox.run((message, sending) => this.#deliver(message, sending), end),
        (end) => stores.proof.run(this.client.sendPlayEvents, end),
        (end) => this.#untilRevoked(end),
      ],
      signal,
    );
  }

  async #deliver(message: OutboxMessage, signal: AbortSignal): Promise<HttpFault | null> {
    const refusal = await this.client.sendOutboxMessage(message, signal);
    if (refusal === null) this.delivered.notify(message);
    return refusal;
  }

  #untilRevoked(signal: AbortSignal): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#endRevoked = reject;
    return unlessAborted(promise, signal);
  }
}
