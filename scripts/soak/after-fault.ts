// What must hold after a fault of the network: a command succeeds soon, the content never stopped, and the player is still paired.
import { itemMs, type Show } from "./show.ts";
import type { SoakRun } from "./soak-run.ts";

// A half-open socket is found within 45 s; then the player tries again, at most a minute later.
export const reconnectLimitMs = 120_000;
const stillLimitMs = 5_000;

/** @param from wall time of the fault. @returns how long a command took to succeed, in ms. */
export async function recover(show: Show, run: SoakRun, fault: string, from: number): Promise<number> {
  const restored = performance.now();
  const works = async (): Promise<boolean> =>
    (await show.api.command(show.playerId, "identify", { duration_ms: 1_000 }))["status"] === "succeeded";
  await run.until("a command succeeds again", works, reconnectLimitMs);
  const tookMs = performance.now() - restored;
  const times = show.presented.flatMap(({ at }) => (at >= from - itemMs ? [at] : []));
  const longest = Math.max(...[...times, Date.now()].slice(1).map((at, index) => at - times[index]!)) - itemMs;
  if (!(longest < stillLimitMs)) run.violate(`${fault}: no item began for ${longest} ms`);
  if (show.player.lines.filter(({ msg }) => msg === "pairing code").length > 1) run.violate("the player asked to be paired again");
  run.print({ fault, command_after_ms: Math.round(tookMs), items_shown: times.length, longest_pause_ms: Math.max(0, longest) });
  return tookMs;
}
