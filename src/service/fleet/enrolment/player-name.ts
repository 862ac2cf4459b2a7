// Makes the name of an enrolled player from its key's pattern. Pure.
import type { MachineIdentity } from "./machine-identity.ts";

const longestName = 200;

/**
 * The name for the `n`th player of a key. A placeholder that is unknown becomes the other one: without a serial, {serial} is the MAC
 * address without colons, and without both it is the number.
 */
export function playerName(pattern: string, { serial, mac }: MachineIdentity, n: number): string {
  const address = mac?.replaceAll(":", "") ?? null;
  const name = pattern
    .replaceAll("{serial}", serial ?? address ?? String(n))
    .replaceAll("{mac}", address ?? serial ?? String(n))
    .replaceAll(/\{n(?::([1-9]))?\}/g, (_all, digits: string | undefined) => String(n).padStart(Number(digits ?? 1), "0"));
  return name.slice(0, longestName).trim();
}
