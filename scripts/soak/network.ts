// The soak part `network`: a player in a network namespace whose packets are dropped without a FIN, whose names cannot be resolved, or
// whose line is slow and lossy. Its content goes on, and it is connected again soon after the fault.
import { temporaryFolder } from "../../test/support/folder.ts";
import { NetworkNamespace } from "./network-namespace.ts";
import { noisePicture } from "./load.ts";
import { itemMs, Show } from "./show.ts";
import type { SoakPart, SoakRun } from "./soak-run.ts";

// A half-open socket is found within 45 s; then the player tries again, at most a minute later.
const reconnectLimitMs = 120_000;
const stillLimitMs = 5_000;
const faults = ["drop", "names", "slow"] as const;

export const network: SoakPart = {
  about: "packets dropped without FIN, names lost, 1 % loss with 400 ms, in a network namespace",
  unit: "faults",
  usual: 30,
  async run(run) {
    const created = await NetworkNamespace.create();
    if ("reason" in created) return created.reason;
    await using namespace = created.namespace;
    await using folder = await temporaryFolder();
    await using show = await Show.start(folder.path, run, {
      connect: async (url) => `http://${namespace.hostName}:${new URL(url).port}`,
      serviceFlags: ["--host", namespace.address, "--insecure-http"],
      launch: (server, path) => namespace.startPlayer(server, path),
    });
    let possible: readonly (typeof faults)[number][] = faults;
    const reason = await namespace.setSlow(true);
    if (reason === null) await namespace.setSlow(false);
    else {
      run.print({ skipped: "slow", reason });
      possible = faults.filter((fault) => fault !== "slow");
    }
    for (let count = 0; count < run.amount; count += 1) {
      const fault = possible[count % possible.length]!;
      const lastsMs = run.random.integer(10_000, 70_000);
      await run.try({ fault, lasts_ms: lastsMs }, () => disturb(show, run, namespace, fault, lastsMs));
    }
    return null;
  },
};

/** @returns how long after the fault a command succeeded. */
async function disturb(
  show: Show,
  run: SoakRun,
  namespace: NetworkNamespace,
  fault: (typeof faults)[number],
  lastsMs: number,
): Promise<number> {
  const from = Date.now();
  try {
    if (fault === "drop") await namespace.setDropping(true);
    else if (fault === "slow") await namespace.setSlow(true);
    else {
      await namespace.setNames(false);
      // The player has to connect again, and needs the name for that.
      await show.service.current.kill();
    }
    await run.pause(lastsMs);
    if (fault === "slow") await change(show, run);
  } finally {
    if (fault === "drop") await namespace.setDropping(false);
    else if (fault === "slow") await namespace.setSlow(false);
    else await namespace.setNames(true);
  }
  const restored = performance.now();
  const works = async (): Promise<boolean> =>
    (await show.api.command(show.playerId, "identify", { duration_ms: 1_000 }))["status"] === "succeeded";
  await run.until("a command succeeds again", works, reconnectLimitMs);
  const times = show.presented.flatMap(({ at }) => (at >= from - itemMs ? [at] : []));
  const longest = Math.max(...[...times, Date.now()].slice(1).map((at, index) => at - times[index]!)) - itemMs;
  if (!(longest < stillLimitMs)) run.violate(`${fault}: no item began for ${longest} ms`);
  if (show.player.lines.filter(({ msg }) => msg === "pairing code").length > 1) run.violate("the player asked to be paired again");
  return performance.now() - restored;
}

/** New content arrives also over a slow line. */
async function change(show: Show, run: SoakRun): Promise<void> {
  const id = await show.api.upload("noise.png", await noisePicture(320, 240));
  await show.play([id]);
  await run.until("new content is shown", () => show.presented.some(({ assetId }) => assetId === id), reconnectLimitMs);
}
