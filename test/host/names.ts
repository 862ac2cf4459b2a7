// Fake DNS names and local access rules for tests.
import { lookup } from "node:dns/promises";

/** Names with their addresses: one list for each lookup; the last list is repeated. */
export type Names = Readonly<Record<string, readonly (readonly string[])[]>>;

/** Allows all services of this machine. */
export const everything = "*";

/** The rule of a flag `--allow-local`; `*` allows everything. */
export function localRule(flag: string): (host: string, port: number) => boolean {
  const allowed = new Set(flag.split(","));
  return (host, port) => allowed.has(everything) || allowed.has(`${host}:${port}`) || allowed.has(`${host}:*`);
}

/** Resolves these names as given, and all others as the machine does. */
export function lookupOf(names: Names): (hostname: string) => Promise<string[]> {
  const lookups = new Map<string, number>();
  return async (hostname) => {
    const answers = names[hostname];
    if (answers === undefined) return (await lookup(hostname, { all: true })).map(({ address }) => address);
    const count = lookups.get(hostname) ?? 0;
    lookups.set(hostname, count + 1);
    return [...answers[Math.min(count, answers.length - 1)]!];
  };
}
