// A browser that a person is signed in with, without its pages: it keeps the service's cookies and names its origin.
import type { ServiceConfig } from "../../../src/service/config.ts";
import { call, type ApiResponse, type TestService } from "../harness.ts";

/** Hard to guess, and nobody's name. */
export const goodPassword = "seven quiet otters dance";

/** Of a service whose tests do not judge what a guess costs: hashes as cheap as argon2id allows. */
export const cheapPasswords: Pick<ServiceConfig, "passwordWork"> = { passwordWork: { m: 8, t: 1, p: 1 } };

export class Browser {
  readonly url: string;
  readonly cookies = new Map<string, string>();
  readonly #origin: string;

  /** @param origin of the service's pages, by default its address */
  constructor(url: string, origin: string = url) {
    this.url = url;
    this.#origin = origin;
  }

  /** A new browser that has signed in. */
  static async signIn(api: TestService, body: object): Promise<Browser> {
    const browser = new Browser(api.service.url);
    const answer = await browser.call("POST", "session", body);
    if (answer.status !== 201) throw new Error(`signing in: ${answer.status} ${JSON.stringify(answer.body)}`);
    return browser;
  }

  /** A new browser in which the owner is signed in by a link. */
  static async ofOwner(api: TestService): Promise<Browser> {
    const { body } = await api.call("POST", "sign-in-links", {});
    return Browser.signIn(api, { method: "link", secret: body.secret });
  }

  /** A new browser in which the owner is signed in, who has this email and the password {@link goodPassword}. */
  static async ofOwnerWithPassword(api: TestService, email = "ada@example.com"): Promise<Browser> {
    const browser = await Browser.ofOwner(api);
    await browser.call("PATCH", "me", { email });
    const answer = await browser.call("PUT", "me/password", { password: goodPassword });
    if (answer.status !== 204) throw new Error(`password: ${answer.status} ${JSON.stringify(answer.body)}`);
    return browser;
  }

  /** The headers by which a page of the service sends a request. */
  get headers(): Record<string, string> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return { origin: this.#origin, ...(cookie === "" ? {} : { cookie }) };
  }

  /** The cookie whose name begins like this. */
  cookie(kind: "session" | "browser" | "sso"): [name: string, value: string] | undefined {
    return [...this.cookies].find(([name]) => name.includes(`signage_${kind}_`));
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const answer = await call(this.url, method, path, body, { ...this.headers, ...headers });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === "") this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    return answer;
  }
}
