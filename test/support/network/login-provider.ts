// A real provider of single sign-on (oidc-provider) on loopback, with a page that asks which account it is.
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import Provider from "oidc-provider";

/** An account at the provider. */
export interface Account {
  email?: string;
  email_verified?: boolean;
  name?: string;
}

export const clientId = "signage";
export const clientSecret = "a secret of the client for tests";

const page = `<!doctype html><html lang="en"><title>Test login</title><link rel="icon" href="data:,"><h1>Test login</h1><form method="post">
<label>Account <input name="account"></label><button>Continue</button><button name="cancel" value="yes">Cancel</button></form>`;

export class LoginProvider implements AsyncDisposable {
  readonly accounts = new Map<string, Account>();
  /** The paths that were asked for. */
  readonly requests: string[] = [];
  readonly #server: Server;
  #provider: Provider | null = null;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => void this.#respond(request, response));
  }

  /** Listens, but responds with errors until {@link serve} is called. */
  static async listen(): Promise<LoginProvider> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new LoginProvider(server);
  }

  get issuer(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address!.port : 0}`;
  }

  /** Begins to serve a client that is led back to this address. */
  serve(redirectUri: string): void {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    this.#provider = new Provider(this.issuer, {
      clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri], grant_types: ["authorization_code"] }],
      jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "test" }] },
      ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      cookies: { keys: ["test"] },
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: async (_context, id) => {
        const account = this.accounts.get(id);
        return account && { accountId: id, claims: async () => ({ sub: id, ...account }) };
      },
      // Nobody is asked for their consent.
      loadExistingGrant: async ({ oidc: { client, session, provider } }) => {
        const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
        grant.addOIDCScope("openid email profile");
        await grant.save();
        return grant;
      },
    });
  }

  /** Stops to respond. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url!.split("?")[0]!;
    this.requests.push(path);
    if (this.#provider === null) return void response.writeHead(503).end();
    if (!path.startsWith("/interaction/")) return this.#provider.callback()(request, response);
    if (request.method === "GET") return void response.writeHead(200, { "content-type": "text/html" }).end(page);
    const form = new URLSearchParams(await text(request));
    const result = form.has("cancel")
      ? { error: "access_denied", error_description: "<b>Call +1 555 0100 now</b>" }
      : { login: { accountId: form.get("account") } };
    await this.#provider.interactionFinished(request, response, result);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** A browser at the provider, without its pages: it keeps the provider's cookies. */
export class ProviderBrowser {
  readonly #cookies = new Map<string, string>();

  /**
   * Opens the address that a sign-in begins with and chooses an account, unless the provider knows the browser already.
   * @returns the query of the address that the provider leads back to
   */
  async signIn(start: string, account: string | null): Promise<string> {
    const { origin } = new URL(start);
    let url = start;
    let form: URLSearchParams | null = null;
    for (let step = 0; step < 10; step += 1) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const answer: Response = await fetch(url, {
        method: form === null ? "GET" : "POST",
        body: form,
        redirect: "manual",
        headers: { cookie },
      });
      for (const each of answer.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(each)!;
        if (value === "") this.#cookies.delete(name!);
        else this.#cookies.set(name!, value!);
      }
      const location = answer.headers.get("location");
      if (location === null) {
        if (form !== null || answer.status !== 200) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
        form = new URLSearchParams(account === null ? { cancel: "yes" } : { account });
        continue;
      }
      form = null;
      url = new URL(location, url).href;
      if (new URL(url).origin !== origin) return new URL(url).search.slice(1);
    }
    throw new Error("the provider leads in circles");
  }
}
