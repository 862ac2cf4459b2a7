// Explains a failed call to the installer in front of the screen.
import { isFault } from "../../base/fault.ts";
import { ProxyFault } from "../../base/http/tunnel.ts";
import type { ScreenProblem } from "../../protocol/scene.ts";
import { firstReleaseMs } from "./known-time.ts";
import { mayRun } from "./service-api.ts";
import { HttpFault } from "./service-http.ts";

// Node's TLS errors when the machine's clock is wrong.
const clockCodes = new Set(["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"]);

const caRemedy =
  "Check the address. If it is right, add the network's CA to this machine's certificates (update-ca-certificates), or start signage-player with --ca FILE.";
const proxySettings = "the flag --proxy, or http_proxy and https_proxy";

/** Explains why the service cannot be reached, and names the remedy. `nowMs` is the machine's wall clock. */
export function diagnoseConnectivity(error: unknown, server: URL, nowMs: number, retryAt: number | null): ScreenProblem {
  const code = codeOf(error);
  const problem = (kind: ScreenProblem["code"], text: string): ScreenProblem => ({ code: kind, text, retry_at: retryAt });
  const proxyFault = proxyFaultIn(error);
  if (proxyFault !== null) return problem("proxy", describeProxyFault(proxyFault, server));
  if (error instanceof HttpFault) {
    return error.status >= 500
      ? problem("http", `The service at ${server.host} fails (HTTP ${error.status}). The screen tries again by itself.`)
      : problem("http", `The service at ${server.host} rejects the screen (HTTP ${error.status}). ${error.message}`);
  }
  if (isFault(error, "protocol")) return problem("http", `At ${server.host}: ${error.message}.`);
  if (code === "ENOSPC") return problem("disk", "The disk is full. Free some space or use a larger disk.");
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return problem("dns", `The name ${server.hostname} cannot be resolved. Check the network cable or Wi-Fi, and DNS.`);
  }
  if (code === "ECONNREFUSED") {
    const running = `Nothing answers at ${server.host}. Check that the service runs and the address is right.`;
    const notYet = "The service in this program is not running yet. The screen tries again by itself.";
    return problem("refused", mayRun(server) ? running : notYet);
  }
  if (code !== null && (clockCodes.has(code) || (isTls(code) && nowMs < firstReleaseMs))) {
    return problem(
      "clock",
      `This device's clock says ${new Date(nowMs).toISOString().slice(0, 16)} UTC. Set it, or allow NTP: certificates depend on it.`,
    );
  }
  if (code !== null && isTls(code)) {
    return problem("tls", `The certificate of ${server.host} is not trusted (${code}). ${caRemedy}`);
  }
  if (code !== null && (/TIMEOUT|ETIMEDOUT|TimeoutError/.test(code) || code === "timeout")) {
    return problem("timeout", `${server.host} does not answer in time. Check the network; a firewall may drop the traffic.`);
  }
  if (code === "ENETUNREACH" || code === "EHOSTUNREACH") {
    return problem("other", `${server.host} cannot be reached. Check the network cable or Wi-Fi.`);
  }
  return problem("other", `The service at ${server.host} cannot be reached${code === null ? "" : ` (${code})`}. Check the network.`);
}

function describeProxyFault(fault: ProxyFault, server: URL): string {
  const said = `${fault.message[0]!.toUpperCase()}${fault.message.slice(1)}`;
  switch (fault.trouble) {
    case "unusable":
      return `${said} in ${proxySettings}.`;
    case "unreachable": {
      const code = codeOf(fault);
      return `${said}${code === null ? "" : ` (${code})`}. Check the network and its address in ${proxySettings}.`;
    }
    case "credentials":
      return `${said}: it rejects the user name and password. Set them in ${proxySettings}, as http://USER:PASSWORD@HOST:PORT.`;
    case "rejected":
      return `${said}: it does not connect to ${server.host}. Check the service's address, and that the proxy allows it.`;
  }
}

/** The fault of the network's proxy that caused an error, if any. */
function proxyFaultIn(error: unknown): ProxyFault | null {
  if (error instanceof ProxyFault) return error;
  return error instanceof Error ? proxyFaultIn(error.cause) : null;
}

function isTls(code: string): boolean {
  return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code);
}

/** The innermost system error code: a Fault wraps undici's error, which wraps the system's error. */
function codeOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  const deeper = codeOf(inner);
  if (deeper !== null) return deeper;
  if (isFault(error)) return error.code === "timeout" ? "timeout" : null;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.name === "TimeoutError" ? error.name : null;
}
