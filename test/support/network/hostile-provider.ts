// A provider of single sign-on that lies as a test tells it to: wrong claims, signatures and addresses.
import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

interface Lies {
  /** Replace claims of the ID token; undefined leaves one out. */
  claims?: Record<string, unknown>;
  /** Replace what the provider says about itself. */
  metadata?: Record<string, unknown>;
  /** What the person's details are elsewhere. */
  userInfo?: Record<string, unknown>;
  hasWrongSignature?: boolean;
}

export class HostileProvider implements AsyncDisposable {
  lies: Lies = {};
  /** The codes that were redeemed here, with their PKCE verifiers. */
  readonly redeemed: { code: string | null; verifier: string | null }[] = [];
  readonly #server: Server;
  readonly #keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  readonly #otherKeys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  #nonce = "";

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => void this.#respond(request, response));
  }

  static async listen(): Promise<HostileProvider> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new HostileProvider(server);
  }

  get issuer(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address!.port : 0}`;
  }

  /** The query that it leads a browser back with, which a sign-in has sent to `start`. */
  answer(start: string, more: Record<string, string> = {}): string {
    const asked = new URL(start).searchParams;
    this.#nonce = asked.get("nonce")!;
    return new URLSearchParams({ code: randomUUID(), state: asked.get("state")!, iss: this.issuer, ...more }).toString();
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (body: object) => void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    const path = request.url!.split("?")[0];
    if (path === "/.well-known/openid-configuration") return send({ ...this.#metadata(), ...this.lies.metadata });
    if (path === "/jwks")
      return send({ keys: [{ ...this.#keys.publicKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "1" }] });
    if (path === "/me") return send(this.lies.userInfo ?? {});
    if (path !== "/token") return void response.writeHead(404).end();
    const form = new URLSearchParams(await text(request));
    this.redeemed.push({ code: form.get("code"), verifier: form.get("code_verifier") });
    return send({ access_token: "x", token_type: "Bearer", expires_in: 60, id_token: this.#idToken() });
  }

  #metadata(): object {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/me`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
      token_endpoint_auth_methods_supported: ["client_secret_post"],
      authorization_response_iss_parameter_supported: true,
    };
  }

  #idToken(): string {
    const now = Math.trunc(Date.now() / 1_000);
    const person = { sub: "1", email: "ada@example.com", email_verified: true, name: "Ada" };
    const claims = { iss: this.issuer, aud: "signage", iat: now, exp: now + 60, nonce: this.#nonce, ...person, ...this.lies.claims };
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const signed = `${part({ alg: "RS256", kid: "1", typ: "JWT" })}.${part(claims)}`;
    const key = this.lies.hasWrongSignature === true ? this.#otherKeys.privateKey : this.#keys.privateKey;
    return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
