// Single sign-on: leads this window to the provider, and keeps the parameters of the provider's answer.
import { directClient } from "./client.ts";
import { isOwnPath } from "./own-path.ts";

/** Tells the window that asked for a proof that it was given. The path keeps services on one host apart. */
export const proofChannelName = `signage-proof ${new URL(document.baseURI).pathname}`;

const placeKey = "signage-sso-place";
// Read when the page starts: the router may write the address in another way.
let answer: string | null = /\/sign-in\/sso\/?$/.test(location.pathname) && location.search.length > 1 ? location.search.slice(1) : null;

/** The parameters of the provider's answer; null: none, or taken before. They work once and do not stay in the address or its history. */
export function takeAnswer(): string | null {
  const result = answer;
  answer = null;
  if (result !== null) history.replaceState(history.state, "", location.pathname);
  return result;
}

let pendingLink: string | null = null;

/** Keeps the parameters of the provider's answer for the page of the person's account, which links the account there. */
export function storeLinking(search: string): void {
  pendingLink = search;
}

/** The parameters with which the page of the person's account links it; null: none, or taken before. */
export function takeLinking(): string | null {
  const result = pendingLink;
  pendingLink = null;
  return result;
}

/** Asks the service for the provider's address. @param invitation the secret of an invitation that is accepted by signing in */
export async function startSso(purpose: "sign-in" | "proof" | "link", invitation?: string): Promise<string> {
  const body = { purpose, ...(invitation === undefined ? {} : { invitation }) };
  const { url } = (await directClient.post("/api/v1/sign-in/sso", { body })).data;
  if (!/^https?:$/.test(new URL(url).protocol)) throw new Error(`${url} is no address of a website`);
  return url;
}

/** Keeps where the person wants to go, in this window only. */
export function rememberPlace(to: string | undefined): void {
  if (to === undefined) sessionStorage.removeItem(placeKey);
  else sessionStorage.setItem(placeKey, to);
}

/** Where the person wanted to go: a path of the console. */
export function rememberedPlace(): string | undefined {
  const to = sessionStorage.getItem(placeKey);
  return isOwnPath(to) ? to : undefined;
}
