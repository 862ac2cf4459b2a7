// A browser without pages in which a person has passkeys. It is at localhost: browsers offer no passkeys at an IP address.
import { SoftwarePasskey, type Variant } from "../../../support/passkeys.ts";
import type { ApiResponse, TestService } from "../../harness.ts";
import { Browser } from "../browser.ts";

export function localhostOf(api: TestService): string {
  return api.service.url.replace("127.0.0.1", "localhost");
}

/** A browser at localhost in which a person is signed in by a link of the service's machine; default: the owner. */
export async function browserAtLocalhost(api: TestService, person?: { userId: string }): Promise<Browser> {
  const { body: link } = await api.call("POST", "sign-in-links", person === undefined ? {} : { user_id: person.userId });
  const browser = new Browser(localhostOf(api));
  expectStatus(await browser.call("POST", "session", { method: "link", secret: link.secret }), 201);
  return browser;
}

/** Adds a passkey to the person who is signed in. */
export async function addPasskey(browser: Browser, { synced = false, name }: { synced?: boolean; name?: string } = {}) {
  const { body: options } = expectStatus(await browser.call("POST", "me/passkeys/challenge"), 200);
  const key = new SoftwarePasskey(options, browser.url, { synced });
  const added = await browser.call("POST", "me/passkeys", { credential: key.attest(options), ...(name === undefined ? {} : { name }) });
  return { key, passkey: expectStatus(added, 201).body };
}

/** Tries to sign in by a passkey. @param variant how the answer differs from an honest one */
export async function signInByPasskey(browser: Browser, key: SoftwarePasskey, variant: Variant = {}): Promise<ApiResponse> {
  const { body: options } = expectStatus(await browser.call("POST", "session/passkey"), 200);
  return browser.call("POST", "session", { method: "passkey", passkey: key.assert(options, variant) });
}

/** Tries to prove by a passkey who is signed in. */
export async function proveByPasskey(browser: Browser, key: SoftwarePasskey, variant: Variant = {}): Promise<ApiResponse> {
  const { body: options } = expectStatus(await browser.call("POST", "session/proof/passkey"), 200);
  return browser.call("POST", "session/proof", { passkey: key.assert(options, variant) });
}

function expectStatus(answer: ApiResponse, status: number): ApiResponse {
  if (answer.status !== status) throw new Error(`${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`);
  return answer;
}
