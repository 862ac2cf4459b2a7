// Judges the response to the request for an iframe's document. Pure.
import type { Protocol } from "devtools-protocol";

/** A request of which the browser has the response, or the network error. */
export type PausedResponse = Pick<
  Protocol.Fetch.RequestPausedEvent,
  "request" | "responseStatusCode" | "responseErrorReason" | "responseHeaders"
>;

// The media types that Chromium shows in an iframe. Everything else becomes a download, after which the iframe loads nothing more.
const displayable = /^\s*(text|image|audio|video|multipart)\/|^\s*application\/([\w.-]+\+)?(xml|json|javascript|x-javascript|pdf|ogg)\b/i;

const networkErrors: Partial<Record<Protocol.Network.ErrorReason, string>> = {
  NameNotResolved: "its name cannot be resolved: check the address, and DNS",
  ConnectionRefused: "its server does not accept the connection",
  ConnectionReset: "its server does not accept the connection",
  ConnectionClosed: "its server does not accept the connection",
  ConnectionAborted: "its server does not accept the connection",
  TimedOut: "its server does not respond in time",
  InternetDisconnected: "it cannot be reached: check the network",
  AddressUnreachable: "it cannot be reached: check the network",
};

/**
 * Why the response cannot be shown, with a remedy where there is one; null when it can.
 * @param connectionError the proxy's description of the failed connection, if it has one.
 */
export function responseFailure(response: PausedResponse, connectionError: string | null): string | null {
  const { request, responseStatusCode: status = 0, responseErrorReason: error, responseHeaders = [] } = response;
  if (error !== undefined) return connectionError ?? describeNetworkError(error, request.url);
  if (status >= 400 || status === 204 || status === 205) return `it responded with HTTP ${status}`;
  return isDownload(responseHeaders) ? "it is a download, not a page" : null;
}

function isDownload(headers: readonly { name: string; value: string }[]): boolean {
  return headers.some(
    ({ name, value }) =>
      (/^content-disposition$/i.test(name) && /^\s*attachment/i.test(value)) ||
      (/^content-type$/i.test(name) && /\S/.test(value) && !displayable.test(value)),
  );
}

function describeNetworkError(reason: Protocol.Network.ErrorReason, url: string): string {
  // DevTools reports every TLS error as "Failed".
  if (reason === "Failed" && url.startsWith("https:")) {
    return "no secure connection to it: its certificate may not be trusted. Check the address, the box's clock, or install the network's CA";
  }
  return networkErrors[reason] ?? `the browser could not fetch it (${reason})`;
}
