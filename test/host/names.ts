// What content may reach of the machine under test, and the names that resolve as a test says.
import { lookup } from "node:dns/promises";

/** Names and the addresses they have, one list for each time that a name is asked for; the last list stays. */
export type Names = Readonly<Record<string, readonly (readonly string[])[]>>;

/** All that is served on this machine. */
export const everything = "*";

/** The rule of a flag `--allow-local`; `*` allows everything. */
export function localRule(flag: string): (host: string, port: number) => boolean {
  const allowed = new Set(flag.split(","));
  return (host, port) => allowed.has(everything) || allowed.has(`${host}:${port}`) || allowed.has(`${host}:*`);
}

/** Resolves these names as they say, and all others as the machine does. */
export function lookupOf(names: Names): (hostname: string) => Promise<string[]> {
  const asked = new Map<string, number>();
  return async (hostname) => {
    const answers = names[hostname];
    if (answers === undefined) return (await lookup(hostname, { all: true })).map(({ address }) => address);
    const count = asked.get(hostname) ?? 0;
    asked.set(hostname, count + 1);
    return [...answers[Math.min(count, answers.length - 1)]!];
  };
}
