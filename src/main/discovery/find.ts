// Finds services on the local network by DNS-SD over multicast DNS. It only lists them: a person chooses.
import type multicastDns from "multicast-dns";
import type { Clock } from "../../base/clock.ts";
import { isAbort, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { FoundService, serviceType, ServiceText } from "../../protocol/device/discovery.ts";
import { openMulticast, type MulticastOptions } from "./multicast.ts";

type Packet = multicastDns.ResponsePacket;
type Answer = NonNullable<Packet["answers"]>[number];

// Asked quickly at first, because a packet may be lost, then rarely.
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
// A network that answers with more is hostile or broken.
const maxServices = 16;

/** The records of one announced service. `target` is null until its SRV record has arrived. */
interface Known {
  target: string | null;
  port: number;
  text: ServiceText;
  until: number;
}

/**
 * Looks for services until `signal` aborts, and calls `onChange` with all of them, sorted by name, whenever they change. A network
 * without multicast is reported once: nothing is found there.
 */
export async function findServices(
  onChange: (services: FoundService[]) => void,
  { clock, log, network: options = {} }: { clock: Clock; log: Log; network?: MulticastOptions },
  signal: AbortSignal,
): Promise<never> {
  const network = openMulticast(options, log);
  const seen = new SeenServices();
  let listed = "[]";
  const update = (): void => {
    const services = seen.list(clock.monotonic());
    if (JSON.stringify(services) === listed) return;
    listed = JSON.stringify(services);
    onChange(services);
  };
  network?.on("response", (packet, { address }) => {
    seen.learn(packet, address, clock.monotonic());
    update();
  });
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      network?.query([{ name: serviceType, type: "PTR" }], (error: Error | null) => {
        if (error) log.debug({ reason: reasonOf(error) }, "multicast DNS");
      });
      await clock.wait(pauseMs, signal);
      update();
    }
  } finally {
    if (network !== null) await new Promise<void>((resolve) => network.destroy(() => resolve()));
  }
}

/** The services found within `forMs`, sorted by name. */
export async function listServices(
  forMs: number,
  dependencies: { clock: Clock; log: Log; network?: MulticastOptions },
  signal: AbortSignal,
): Promise<FoundService[]> {
  let found: FoundService[] = [];
  const end = new AbortController();
  const searching = findServices((services) => (found = services), dependencies, AbortSignal.any([signal, end.signal])).catch(
    (error: unknown) => {
      if (!isAbort(error)) throw error;
    },
  );
  await dependencies.clock.wait(forMs, signal);
  end.abort();
  await searching;
  return found;
}

/** The announcements that were received, which are valid for the time that each states. */
class SeenServices {
  readonly #services = new Map<string, Known>();
  readonly #addresses = new Map<string, string>();

  /** @param sender the address that the packet came from. */
  learn({ answers = [], additionals = [] }: Packet, sender: string, now: number): void {
    const records = [...answers, ...additionals].slice(0, 100);
    for (const record of records) {
      if (record.type === "A" && this.#addresses.size < maxServices * 4) this.#addresses.set(record.name.toLowerCase(), record.data);
    }
    for (const record of records) {
      if (record.type !== "PTR" || record.name.toLowerCase() !== serviceType) continue;
      this.#learnName(String(record.data).toLowerCase(), record.ttl ?? 0, now);
    }
    for (const record of records) {
      const known = this.#services.get(record.name.toLowerCase());
      if (known === undefined) continue;
      if (record.type === "SRV") [known.target, known.port] = [record.data.target.toLowerCase(), record.data.port];
      if (record.type === "TXT") known.text = textOf(record.data) ?? known.text;
      // A machine that did not send its address has at least the one that the packet came from.
      if (record.type === "SRV" && !this.#addresses.has(known.target!)) this.#addresses.set(known.target!, sender);
    }
  }

  list(now: number): FoundService[] {
    const services: FoundService[] = [];
    for (const [instance, known] of this.#services) {
      if (known.until <= now) this.#services.delete(instance);
      else services.push(...this.#describe(instance, known));
    }
    return services.toSorted((a, b) => a.name.localeCompare(b.name) || a.url.localeCompare(b.url));
  }

  #learnName(instance: string, ttlSeconds: number, now: number): void {
    if (!instance.endsWith(`.${serviceType}`)) return;
    const known = this.#services.get(instance);
    const until = now + ttlSeconds * 1_000;
    if (ttlSeconds === 0) this.#services.delete(instance);
    else if (known !== undefined) known.until = until;
    else if (this.#services.size < maxServices) this.#services.set(instance, { target: null, port: 0, text: {}, until });
  }

  #describe(instance: string, { target, port, text }: Known): FoundService[] {
    const address = target === null ? undefined : this.#addresses.get(target);
    const url =
      text.url ?? (address === undefined ? null : `${text.tls === "1" ? "https" : "http"}://${address}:${port}${text.path ?? ""}`);
    if (url === null) return [];
    const service = FoundService.safeParse({ name: text.name ?? instance.slice(0, -serviceType.length - 1), url: url.replace(/\/$/, "") });
    return service.success ? [service.data] : [];
  }
}

/** The entries of a TXT record; null when they are not those of a service. */
function textOf(data: Extract<Answer, { type: "TXT" }>["data"]): ServiceText | null {
  const parts = (Array.isArray(data) ? data : [data]).map(String);
  const entries = parts
    .filter((part) => part.includes("="))
    .map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)]);
  const parsed = ServiceText.safeParse(Object.fromEntries(entries));
  return parsed.success ? parsed.data : null;
}
