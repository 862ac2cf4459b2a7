// Turns a failed call into words for the installer in front of the screen.
import { isFault } from "../../base/fault.ts";
import type { Trouble } from "../../protocol/scene.ts";
import { HttpFault } from "./service-api.ts";

// TLS faults of Node that a wrong clock causes: the certificate is fine, the date is not.
const clockCodes = new Set(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"]);
// No signage player was ever built before this; a clock that says so has not been set.
const earliestSaneMs = Date.UTC(2025, 0, 1);

/** What kept us from the service, in words that say what to do. `nowMs` is the machine's wall clock. */
export function diagnoseConnectivity(error: unknown, server: URL, nowMs: number, retryAt: number | null): Trouble {
  const code = codeOf(error);
  const say = (kind: Trouble["code"], text: string): Trouble => ({
    code: kind,
    text,
    retry_at: retryAt,
  });
  if (error instanceof HttpFault) {
    return error.status >= 500
      ? say("http", `The service at ${server.host} is failing (${error.status}). Nothing to do here; it is tried again.`)
      : say("http", `The service at ${server.host} refuses (${error.status}). ${error.message}`);
  }
  if (isFault(error, "protocol")) return say("http", `At ${server.host}: ${error.message}.`);
  if (code === "ENOSPC") return say("disk", "The disk is full. Free some space or use a larger one.");
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return say("dns", `The name ${server.hostname} cannot be resolved. Check the network cable or Wi-Fi, and DNS.`);
  }
  if (code === "ECONNREFUSED") {
    return say("refused", `Nothing answers at ${server.host}. Check that the service runs and the address is right.`);
  }
  if (code !== null && (clockCodes.has(code) || (isTls(code) && nowMs < earliestSaneMs))) {
    return say(
      "clock",
      `This device's clock says ${new Date(nowMs).toISOString().slice(0, 16)} UTC. Set it, or allow NTP: certificates depend on it.`,
    );
  }
  if (code !== null && isTls(code)) {
    return say("tls", `The certificate of ${server.host} is not trusted (${code}). Check the address, or install the network's CA.`);
  }
  if (code !== null && (/TIMEOUT|ETIMEDOUT|TimeoutError/.test(code) || code === "timeout")) {
    return say("timeout", `${server.host} does not answer in time. Check the network; a firewall may drop the traffic.`);
  }
  if (code === "ENETUNREACH" || code === "EHOSTUNREACH") {
    return say("other", `There is no way to ${server.host}. Check the network cable or Wi-Fi.`);
  }
  return say("other", `The service at ${server.host} cannot be reached${code === null ? "" : ` (${code})`}. Check the network.`);
}

function isTls(code: string): boolean {
  return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code);
}

/** The deepest system code beneath an error: a Fault wraps undici's error, which wraps the system's. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const beneath = error instanceof AggregateError ? error.errors[0] : error.cause;
  const deeper = codeOf(beneath);
  if (deeper !== null) return deeper;
  if (isFault(error)) return error.code === "timeout" ? "timeout" : null;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.name === "TimeoutError" ? error.name : null;
}
