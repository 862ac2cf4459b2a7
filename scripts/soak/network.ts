// The soak part `network`: a player in a network namespace whose packets are dropped without a FIN, whose names cannot be resolved,
// whose line is slow and lossy, or whose only way out, a proxy, ends. Its content goes on, and it is connected again soon after.
import { temporaryFolder } from "../../test/support/folder.ts";
import { reconnectLimitMs, recover } from "./after-fault.ts";
import { NetworkNamespace } from "./network-namespace.ts";
import { noisePicture } from "./load.ts";
import { playThroughProxy } from "./proxy-only.ts";
import { Show } from "./show.ts";
import { slowLine } from "./slow-line.ts";
import type { SoakPart, SoakRun } from "./soak-run.ts";

const faults = ["drop", "names", "slow"] as const;
type Fault = (typeof faults)[number];

export const network: SoakPart = {
  about: "packets dropped without FIN, names lost, 1 % loss with 400 ms, only a proxy, in a network namespace",
  unit: "faults",
  usual: 30,
  async run(run) {
    const created = await NetworkNamespace.create();
    if ("reason" in created) return created.reason;
    await using namespace = created.namespace;
    const throughProxy = (await isPossible(run, "proxy", () => namespace.checkFirewall())) ? Math.floor(run.amount / 4) : 0;
    await playDirectly(run, namespace, run.amount - throughProxy);
    if (throughProxy > 0) await playThroughProxy(run, namespace, throughProxy);
    return null;
  },
};

/** Whether this machine can make a fault, which `attempt` tries out. Prints why not. */
async function isPossible(run: SoakRun, fault: string, attempt: () => Promise<void>): Promise<boolean> {
  try {
    await attempt();
    return true;
  } catch (error) {
    run.print({ skipped: fault, reason: error instanceof Error ? error.message.trim() : String(error) });
    return false;
  }
}

async function playDirectly(run: SoakRun, namespace: NetworkNamespace, count: number): Promise<void> {
  await using folder = await temporaryFolder();
  await using show = await Show.start(folder.path, run, {
    connect: async (url) => `http://${namespace.hostName}:${new URL(url).port}`,
    serviceFlags: ["--host", namespace.address, "--insecure-http"],
    launch: (server, path) => namespace.startPlayer(server, path),
  });
  const canBeSlow = await isPossible(run, "slow", async () => (await namespace.startSlowLine())[Symbol.asyncDispose]());
  const possible = faults.filter((fault) => canBeSlow || fault !== "slow");
  for (let tried = 0; tried < count; tried += 1) {
    const fault = possible[tried % possible.length]!;
    const lastsMs = run.random.integer(10_000, 70_000);
    await run.try({ fault, lasts_ms: lastsMs }, async () => {
      const from = Date.now();
      await disturb[fault](show, run, namespace, lastsMs);
      return recover(show, run, fault, from);
    });
  }
}

const disturb: Readonly<Record<Fault, (show: Show, run: SoakRun, namespace: NetworkNamespace, lastsMs: number) => Promise<void>>> = {
  async drop(_show, run, namespace, lastsMs) {
    try {
      await namespace.setDropping(true);
      await run.pause(lastsMs);
    } finally {
      await namespace.setDropping(false);
    }
  },
  async names(show, run, namespace, lastsMs) {
    try {
      await namespace.setNames(false);
      // The player has to connect again, and needs the name for that.
      await show.service.current.kill();
      await run.pause(lastsMs);
    } finally {
      await namespace.setNames(true);
    }
  },
  async slow(show, run, namespace, lastsMs) {
    await using line = await namespace.startSlowLine();
    const handshakeMs = await namespace.handshakeMs(Number(new URL(show.api.url).port));
    if (handshakeMs === null || handshakeMs < 2 * slowLine.delayMs) run.violate(`a handshake over the slow line took ${handshakeMs} ms`);
    await run.pause(lastsMs);
    const changeMs = await timeChange(show, run);
    const { passed, lost } = await line.end();
    run.print({ fault: "slow", handshake_ms: handshakeMs, change_ms: changeMs, packets: passed, packets_lost: lost });
  },
};

/** @returns how long new content took to the screen. */
async function timeChange(show: Show, run: SoakRun): Promise<number> {
  const id = await show.api.upload("noise.png", await noisePicture(320, 240));
  const from = performance.now();
  await show.play([id, ...show.assetIds]);
  await run.until("new content is shown", () => show.presented.some(({ assetId }) => assetId === id), reconnectLimitMs);
  return Math.round(performance.now() - from);
}
