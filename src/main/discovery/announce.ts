// Announces a service on the local network by DNS-SD (RFC 6763) over multicast DNS, so that `signage-player setup` can offer it.
import { hostname, networkInterfaces } from "node:os";
import type multicastDns from "multicast-dns";
import { reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { serviceType, type ServiceText } from "../../protocol/device/discovery.ts";
import { openMulticast, type MulticastOptions } from "./multicast.ts";

/** A service to announce on the local network. */
export interface Announcement {
  /** The service's name for people. */
  name: string;
  port: number;
  /** The address that it listens on; `0.0.0.0` and `::` stand for all of this machine. */
  host: string;
  text: ServiceText;
}

type Records = multicastDns.ResponseOutgoingPacket["answers"];

// 75 minutes, as RFC 6762 has it for names of services. A goodbye ends it earlier.
const ttlSeconds = 4_500;
// Names that start with a service's own label may be 63 bytes long (RFC 1035).
const longestLabel = 63;

/**
 * Answers queries for the service until it is disposed, which tells the network that the service is gone. A network without
 * multicast is reported once and otherwise ignored: the service works without being found.
 */
export function announceService(announcement: Announcement, options: MulticastOptions, log: Log): AsyncDisposable {
  const network = openMulticast(options, log);
  if (network === null) return { [Symbol.asyncDispose]: async () => undefined };
  network.on("query", ({ questions = [] }) => {
    const isAsked = questions.some(({ name, type }) => name.toLowerCase() === serviceType && type === "PTR");
    if (isAsked) network.respond(recordsOf(announcement, ttlSeconds), report);
  });
  network.on("ready", () => network.respond(recordsOf(announcement, ttlSeconds), report));
  function report(error?: Error | null): void {
    if (error) log.debug({ reason: reasonOf(error) }, "the service could not be announced");
  }
  return {
    [Symbol.asyncDispose]: async () => {
      await new Promise<void>((resolve) => network.respond(recordsOf(announcement, 0), () => resolve()));
      await new Promise<void>((resolve) => network.destroy(() => resolve()));
    },
  };
}

/** PTR, SRV, TXT and A. With a TTL of 0 they say goodbye. */
function recordsOf({ name, port, host, text }: Announcement, ttl: number): Records {
  const machine = `${labelOf(hostname().split(".")[0]!)}.local`;
  const instance = `${labelOf(name)}.${serviceType}`;
  const entries = Object.entries({ ...text, name }).filter(([, value]) => value !== undefined);
  return [
    { name: serviceType, type: "PTR", ttl, data: instance },
    { name: instance, type: "SRV", ttl, data: { target: machine, port } },
    { name: instance, type: "TXT", ttl, data: entries.map(([key, value]) => Buffer.from(`${key}=${value}`).subarray(0, 255)) },
    ...addressesOf(host).map((address) => ({ name: machine, type: "A" as const, ttl, data: address })),
  ];
}

/** A label that the encoder does not split at its dots, in as many bytes as DNS allows. */
function labelOf(name: string): string {
  let label = name.replaceAll(".", " ").trim() || "signage";
  while (Buffer.byteLength(label) > longestLabel) label = label.slice(0, -1);
  return label;
}

function addressesOf(host: string): string[] {
  if (host !== "0.0.0.0" && host !== "::" && host !== "") return /^[\d.]+$/.test(host) ? [host] : [];
  return Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address);
}
