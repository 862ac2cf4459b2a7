// A service with single sign-on, for tests.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServiceConfig } from "../../../../src/service/config.ts";
import type { SsoConfig } from "../../../../src/service/people/sso/config.ts";
import type { Clock } from "../../../../src/base/clock.ts";
import type { Log } from "../../../../src/base/log.ts";
import { clientId, clientSecret, ProviderBrowser } from "../../../support/network/login-provider.ts";
import { TestService, type ApiResponse } from "../../harness.ts";
import { Browser, cheapPasswords } from "../browser.ts";

type Options = Partial<ServiceConfig> & { clock?: Clock; log?: Log; join?: SsoConfig["join"] };

/** The settings of the service for this provider; the secret is written into the folder. */
export async function ssoAt(folder: string, issuer: string, join_: SsoConfig["join"] = null): Promise<SsoConfig> {
  await mkdir(folder, { recursive: true });
  const clientSecretFile = join(folder, "sso-secret");
  await writeFile(clientSecretFile, `${clientSecret}\n`);
  return { issuer, clientId, clientSecretFile, name: "Acme Login", join: join_ };
}

/** Starts a service with single sign-on at a provider. */
export async function startWithSso(folder: string, issuer: string, { join: join_ = null, ...more }: Options = {}): Promise<TestService> {
  return TestService.start(folder, { ...cheapPasswords, sso: await ssoAt(folder, issuer, join_), ...more });
}

/** The address that the provider leads back to. */
export const callbackOf = (api: TestService): string => `${api.service.url}/sign-in/sso`;

/** Begins a sign-in in a browser. @returns the provider's address */
export async function begin(browser: Browser, body: object = {}): Promise<string> {
  const answer = await browser.call("POST", "sign-in/sso", body);
  if (answer.status !== 201) throw new Error(`starting: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.url;
}

/** Sends what the provider led back with to the service. */
export function finish(browser: Browser, response: string): Promise<ApiResponse> {
  return browser.call("POST", "session", { method: "sso", response });
}

/** A whole sign-in of an account in a new browser. */
export async function signInAs(api: TestService, account: string, body: object = {}): Promise<{ answer: ApiResponse; browser: Browser }> {
  const browser = new Browser(api.service.url);
  const response = await new ProviderBrowser().signIn(await begin(browser, body), account);
  return { answer: await finish(browser, response), browser };
}

/** Links an account at the provider to the person who is signed in. */
export async function linkAs(browser: Browser, account: string): Promise<ApiResponse> {
  const response = await new ProviderBrowser().signIn(await begin(browser, { purpose: "link" }), account);
  return browser.call("POST", "me/identities", { sso_response: response });
}

/** Invites a person, as the owner does in the console: the owner of a token cannot give out access that lasts. */
export async function inviteLasting(api: TestService, owner: Browser, email: string, role = "editor"): Promise<ApiResponse["body"]> {
  const answer = await owner.call("POST", "invitations", { email, name: "Invited", role });
  if (answer.status !== 201) throw new Error(`inviting at ${api.service.url}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
