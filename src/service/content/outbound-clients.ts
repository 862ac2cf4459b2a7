// The service's clients for URLs that operators give. They call public addresses and those of --allow-address, and no others.
import ipaddr from "ipaddr.js";
import { Fault, isFault } from "../../base/fault.ts";
import { OutboundHttp, type AddressRule, type Resolve } from "../../base/http/outbound-http.ts";
import { isPublicAddress } from "../../base/http/ip-address.ts";

/** An IP address, or a block in CIDR notation such as `10.1.0.0/16`. */
export type AddressBlock = string;

export interface OutboundClients {
  /** Calls any public or allowed address. */
  imports: OutboundHttp;
  /** Calls only allowed addresses without TLS, because deliveries carry a team's events. */
  webhooks: OutboundHttp;
}

const silenceLimitMs = 30_000;

/**
 * Operators read the errors of these clients, so no error about a hostname reveals its addresses or whether it exists:
 * that would map the service's network. The cause holds the details for the log.
 * @param allowed addresses that may be called although they are not public. @throws if a block is invalid.
 */
export function createOutboundClients(allowed: readonly AddressBlock[] = [], resolve?: Resolve): OutboundClients {
  const blocks = allowed.map((block) => ipaddr.parseCIDR(block.includes("/") ? block : `${block}/${block.includes(":") ? 128 : 32}`));
  const isAllowed = (address: string): boolean => {
    const parsed = ipaddr.process(address);
    return blocks.some((block) => block[0].kind() === parsed.kind() && parsed.match(block));
  };
  const publicOrAllowed: AddressRule = {
    allows: (address) => isPublicAddress(address) || isAllowed(address),
    addressRejected: (address) =>
      new Fault("refused", `${address} is not a public address: give the service --allow-address ${normalized(address)} if it may call it`),
    nameRejected: (hostname, cause) =>
      new Fault(
        "refused",
        `${hostname} is not a public address, or the name does not exist: check it. In its own network the service calls only what --allow-address names`,
        { cause: errorOf(cause) },
      ),
  };
  const allowedOnly: AddressRule = {
    allows: isAllowed,
    addressRejected: (address) => withoutTls(address, normalized(address)),
    nameRejected: (hostname, cause) => withoutTls(hostname, "with its address", errorOf(cause)),
  };
  const createClient = (ruleFor: (url: URL) => AddressRule): OutboundHttp => {
    const policy = { ruleFor: (url: URL) => withoutCredentials(url, ruleFor(url)), redirectRejected };
    return new OutboundHttp({ policy, silenceLimitMs, ...(resolve && { resolve }) });
  };
  return {
    imports: createClient(() => publicOrAllowed),
    webhooks: createClient(({ protocol }) => (protocol === "http:" ? allowedOnly : publicOrAllowed)),
  };
}

/** Why a request failed, as a text for the operator who gave the URL. The text contains no address that a hostname resolved to. */
export function outboundFailure(error: unknown): string {
  if (!(error instanceof Error)) return "the connection failed";
  if (isFault(error, "refused")) return error.message;
  if (error.cause instanceof Error) return outboundFailure(error.cause);
  const code = "code" in error && typeof error.code === "string" && !isFault(error) ? ` (${error.code})` : "";
  return `the connection failed${code}`;
}

function withoutCredentials(url: URL, rule: AddressRule): AddressRule {
  if (url.username === "" && url.password === "") return rule;
  throw new Fault("refused", "The address must not hold a user name or a password");
}

/** The same text for every target: a redirecting server must not learn anything about the service's network. */
function redirectRejected(from: URL, cause: Fault): Fault {
  return new Fault("refused", `${from.host} redirects to an address that is not called: give the final address, if it is public`, {
    cause,
  });
}

function withoutTls(host: string, block: string, cause?: Error): Fault {
  return new Fault(
    "refused",
    `${host} is not called without TLS: give an https:// address, or give the service --allow-address ${block} if it may call it without TLS`,
    { cause },
  );
}

function errorOf(cause: { address: string } | Error): Error {
  return cause instanceof Error ? cause : new Error(`it resolves to ${cause.address}`);
}

function normalized(address: string): string {
  return ipaddr.process(address).toString();
}
