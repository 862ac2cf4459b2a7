// The soak part `kills`: kill -9 and SIGSTOP of every process of player and service at random moments, while content changes.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readProc } from "../../bench/lib.ts";
import { temporaryFolder } from "../../test/support/folder.ts";
import { chromiumProcesses } from "../../test/support/programs/chromium-processes.ts";
import { signalIfThere } from "../../test/support/programs/signal-if-there.ts";
import { runLoad } from "./load.ts";
import { allPlays, type Disturbance, faultsOf, type PlaysPage } from "./play-proof.ts";
import type { Random } from "./random.ts";
import { itemMs, Show } from "./show.ts";
import type { SoakPart, SoakRun } from "./soak-run.ts";

const targets = ["service", "browser", "zygote", "gpu-process", "network.mojom.NetworkService", "renderer"] as const;
type Target = (typeof targets)[number] | "player";

interface ProcessFault {
  target: Target;
  signal: "SIGKILL" | "SIGSTOP";
}

/** How long content may be away from the screen. */
const darkLimitsMs = { SIGKILL: 10_000, SIGSTOP: 30_000 };
const giveUpMs = 120_000;

export const kills: SoakPart = {
  about: "kill -9 and SIGSTOP of every process at random moments under load",
  unit: "faults",
  usual: 500,
  async run(run) {
    await using folder = await temporaryFolder();
    await using show = await Show.start(folder.path, run);
    const identity = await identityOf(show);
    const end = new AbortController();
    const disturbances: Disturbance[] = [];
    const disturbAll = async (): Promise<void> => {
      for (const fault of planOf(run.amount, run.random)) {
        await run.pause(run.random.integer(500, 4_000));
        await run.try({ ...fault }, () => disturb(show, run, fault, disturbances));
      }
    };
    await Promise.all([runLoad(show, run, end.signal), disturbAll().finally(() => end.abort())]);
    if ((await identityOf(show)) !== identity) run.violate("the player's identity changed");
    await judge(show, run, disturbances);
    return null;
  },
};

/**
 * The faults in rounds: each process once in a random order. A kill of the player ends the round: it begins with a new count of
 * failures, because content that makes the browser fail five times in five minutes is withheld by design (REC9).
 */
function planOf(count: number, random: Random): ProcessFault[] {
  const plan: ProcessFault[] = [];
  while (plan.length < count) {
    const round = random.shuffled<Target>(random.next() < 0.5 ? targets : [...targets, "player"]);
    const signalOf = (target: Target) => (target === "player" || random.next() < 0.5 ? "SIGSTOP" : "SIGKILL");
    plan.push(...round.map((target) => ({ target, signal: signalOf(target) }) as const), { target: "player", signal: "SIGKILL" });
  }
  return plan.slice(0, count);
}

/** Sends the signal to one process and waits until the content is back. @returns how long it was away, in ms. */
async function disturb(show: Show, run: SoakRun, { target, signal }: ProcessFault, disturbances: Disturbance[]): Promise<number> {
  let pids: number[] = [];
  // Chromium starts a GPU process again some time after the content is back.
  await run.until(`there is a process ${target}`, async () => (pids = await processesOf(show, target)).length > 0, giveUpMs);
  const pid = run.random.pick(pids);
  const disturbance = { from: Date.now(), to: Number.POSITIVE_INFINITY };
  disturbances.push(disturbance);
  signalIfThere(pid, signal);
  try {
    if (signal === "SIGSTOP" && (target === "player" || target === "service")) {
      // Nothing in the unit finds a stopped player, so it continues as after a pause of the whole machine.
      await run.pause(run.random.integer(2_000, 20_000));
    } else await run.until("the process is gone", () => !isRunning(pid), giveUpMs);
  } finally {
    // Otherwise a stopped process would not end when the soak ends.
    if (signal === "SIGSTOP") signalIfThere(pid, "SIGCONT");
  }
  const seenAt = Date.now();
  await run.until("content is back", () => show.presented.filter(({ at }) => at > seenAt).length >= 3, giveUpMs);
  disturbance.to = Date.now();
  const darkMs = darkTime(show, disturbance);
  if (darkMs > darkLimitsMs[signal]) {
    run.violate(`${target} ${signal}: no content for ${darkMs} ms`);
    for (const line of show.player.lines)
      if (Date.parse(String(line["time"])) >= disturbance.from) run.print({ player: JSON.stringify(line) });
  }
  return darkMs;
}

/** The longest time in which no item began although one should have. */
function darkTime({ presented }: Show, { from }: Disturbance): number {
  const times = presented.map(({ at }) => at).toSorted((a, b) => a - b);
  const first = Math.max(
    0,
    times.findLastIndex((at) => at <= from),
  );
  const gaps = times.slice(first + 1).map((at, index) => at - times[first + index]!);
  return Math.max(0, ...gaps.map((gap) => gap - itemMs));
}

function processesOf(show: Show, target: Target): Promise<number[]> {
  if (target === "service") return Promise.resolve([show.service.current.pid]);
  if (target === "player") return Promise.resolve([show.player.current.pid]);
  return chromiumProcesses(show.player.current, target);
}

async function judge(show: Show, run: SoakRun, disturbances: readonly Disturbance[]): Promise<void> {
  const foreign = show.presented.filter(({ assetId }) => !show.assetIds.includes(assetId));
  for (const { assetId } of foreign) run.violate(`${assetId} was presented, which is in no playlist`);
  const codes = show.player.lines.filter(({ msg }) => msg === "pairing code");
  if (codes.length > 1) run.violate("the player asked to be paired again");
  const { data: players } = await show.api.ok("GET", "players");
  if ((players as { id: string }[]).map(({ id }) => id).join() !== show.playerId) run.violate("the service has other players");
  // A stopped player leaves its last plays to the next one, which delivers everything in order.
  const { lines } = show.player;
  const starts = lines.filter(({ msg }) => msg === "already paired").length;
  const until = Date.now();
  await show.player.current.stop();
  await run.until(
    "the player starts again",
    () => show.player.lines.filter(({ msg }) => msg === "already paired").length > starts,
    giveUpMs,
  );
  const presented = show.presented.filter(({ at }) => at < until);
  const last = presented.at(-1)!.at;
  const get = async (path: string): Promise<PlaysPage> => (await show.api.ok("GET", path)) as unknown as PlaysPage;
  await run.until(
    "the last play is at the service",
    async () => (await allPlays(get)).some(({ started_at }) => Math.abs(Date.parse(started_at) - last) <= 1_000),
    giveUpMs,
  );
  const plays = await allPlays(get);
  for (const fault of faultsOf(plays, presented, [...disturbances, { from: until, to: Number.POSITIVE_INFINITY }])) run.violate(fault);
  run.print({ plays: plays.length, presented: presented.length });
}

async function identityOf({ playerFolder }: Show): Promise<string> {
  return await readFile(join(playerFolder, "identity.json"), "utf8");
}

/** Whether a process exists and has not ended yet. */
function isRunning(pid: number): boolean {
  const stat = readProc(pid, "stat");
  return stat !== null && !/\) Z /.test(stat);
}
