// The provider of single sign-on: finds its addresses when somebody signs in, and keeps them for an hour.
import { readFile } from "node:fs/promises";
import type { Configuration, CustomFetch, ServerMetadata } from "openid-client";
import type { Clock } from "../../../base/clock.ts";
import { hourMs } from "../../../base/time.ts";
import { isLoopbackHost, type SsoConfig } from "./config.ts";

const keptMs = hourMs;
// Strangers must not make the service ask a provider that does not respond as often as they like.
const retryMs = 5_000;
const timeoutSeconds = 10;
// Metadata, keys and tokens have a few kilobytes.
const mostAnswerBytes = 1_048_576;

export class SsoProvider {
  readonly #config: SsoConfig;
  readonly #clock: Clock;
  readonly #closing: AbortSignal;
  #found: { metadata: ServerMetadata; at: number } | null = null;
  #failed: { error: unknown; at: number } | null = null;
  #searching: Promise<ServerMetadata> | null = null;

  constructor(config: SsoConfig, clock: Clock, closing: AbortSignal) {
    this.#config = config;
    this.#clock = clock;
    this.#closing = closing;
  }

  /** The provider and this service as its client. Rejects if the provider cannot be reached, or the file of the secret not be read. */
  async configuration(): Promise<Configuration> {
    const client = await import("openid-client");
    const metadata = await this.#metadata();
    const secret = (await readFile(this.#config.clientSecretFile, "utf8")).trim();
    // The default of OpenID Connect Discovery for a provider that names no methods.
    const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const auth = methods.includes("client_secret_basic") ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
    const configuration = new client.Configuration(metadata, this.#config.clientId, secret, auth);
    configuration[client.customFetch] = this.#fetch;
    configuration.timeout = timeoutSeconds;
    client.enableNonRepudiationChecks(configuration);
    if (this.#isLocal) client.allowInsecureRequests(configuration);
    return configuration;
  }

  /** True if the provider is on this machine, which TLS need not protect. */
  get #isLocal(): boolean {
    return new URL(this.#config.issuer).protocol === "http:";
  }

  async #metadata(): Promise<ServerMetadata> {
    const now = this.#clock.now();
    if (this.#found !== null && this.#found.at > now - keptMs) return this.#found.metadata;
    if (this.#failed !== null && this.#failed.at > now - retryMs) throw this.#failed.error;
    this.#searching ??= this.#discover().finally(() => {
      this.#searching = null;
    });
    try {
      return await this.#searching;
    } catch (error) {
      this.#failed = { error, at: this.#clock.now() };
      // Providers seldom move: metadata from before is better than none.
      if (this.#found !== null) return this.#found.metadata;
      throw error;
    }
  }

  async #discover(): Promise<ServerMetadata> {
    const client = await import("openid-client");
    const { issuer, clientId } = this.#config;
    const found = await client.discovery(new URL(issuer), clientId, undefined, undefined, {
      [client.customFetch]: this.#fetch,
      timeout: timeoutSeconds,
      execute: this.#isLocal ? [client.allowInsecureRequests] : [],
    });
    const metadata = found.serverMetadata();
    // For some providers the library would accept another one, whose people must not be taken for those of this one.
    if (new URL(metadata.issuer).href !== new URL(issuer).href) {
      throw new RangeError(`${issuer} names itself ${metadata.issuer}: set that as --sso-issuer`);
    }
    this.#found = { metadata, at: this.#clock.now() };
    this.#failed = null;
    return metadata;
  }

  readonly #fetch: CustomFetch = async (url, { body, signal, ...options }) => {
    const { protocol, hostname } = new URL(url);
    if (protocol === "http:" && !isLoopbackHost(hostname)) throw new TypeError(`${url} is not reached without TLS`);
    const until = signal === undefined ? this.#closing : AbortSignal.any([signal, this.#closing]);
    const {
      body: answer,
      status,
      headers,
    } = await fetch(url, { ...options, body: body as NonNullable<RequestInit["body"]>, signal: until });
    return new Response(answer?.pipeThrough(upTo(mostAnswerBytes)) ?? null, { status, headers });
  };
}

/** Passes on as many bytes, and fails at the next one. */
function upTo(most: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > most) controller.error(new RangeError(`the provider's answer has more than ${most} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
