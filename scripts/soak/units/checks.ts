// What the units of packaging/ must do under a real systemd. Each check resolves to the time in ms that its summary counts.
import type { SoakRun } from "../soak-run.ts";
import type { Container } from "./container.ts";
import { type Installation, player, service, session, startLimitMs } from "./installation.ts";

export interface Stage {
  run: SoakRun;
  container: Container;
  installation: Installation;
}

// The units say RestartSec=5 at most, WatchdogSec=60 and TimeoutStopSec=20. The rest is for a busy machine.
const restartLimitMs = 5_000 + 5_000;
const watchdogLimitMs = 60_000 + restartLimitMs;
const stopLimitMs = 20_000;
const playMs = 150_000;
// Several times the RestartSec of the session.
const failingMs = 30_000;
// The recovery gives up after ten minutes without a frame, and the watchdog a minute later.
const darkMs = 12 * 60_000;
const stillLimitMs = 6_000;
const quickStarts = 8;
// Of packaging/player/system/journald.conf, and more than that to log.
const journalBytes = 32 * 2 ** 20;
const loggedBytes = 48 * 2 ** 20;
// systemd ends the user's own manager ten seconds after its last session.
const sessionEndLimitMs = 30_000;

/** In this order, because each begins with what the one before left: the content on the display. */
export const checks: Readonly<Record<string, (stage: Stage) => Promise<number>>> = {
  async "systemd accepts the units"({ container }) {
    const from = performance.now();
    const units = [session, player, service].map((unit) => `/etc/systemd/system/${unit}`);
    await container.call("systemd-analyze", "verify", "--man=no", ...units);
    for (const unit of units.slice(1)) await container.call("systemd-analyze", "security", "--offline=true", "--threshold=40", unit);
    return performance.now() - from;
  },

  async "the units start, the player pairs and plays"({ container, installation, run }) {
    const from = performance.now();
    // systemctl waits for READY=1.
    await installation.systemctl("enable", "--now", service, session, player);
    for (const unit of [service, session, player]) {
      const { ActiveState } = await installation.state(unit);
      if (ActiveState !== "active") run.violate(`${unit} is ${ActiveState}`);
    }
    const tookMs = performance.now() - from;
    await installation.pair();
    await installation.showsContent();
    const folders = await container.call("stat", "--format=%U %a", "/var/lib/signage-player", "/var/lib/signage-service");
    if (folders !== "signage 700\nsignage-service 700\n") run.violate(`the data folders: ${folders}`);
    await container.call("test", "-s", "/var/lib/signage-player/identity.json");
    return tookMs;
  },

  "the player restarts after kill -9": (stage) => restart(stage, player, "SIGKILL", restartLimitMs),
  "the compositor restarts after kill -9": (stage) => restart(stage, session, "SIGKILL", restartLimitMs),
  async "the player starts although the compositor failed at first"({ container, installation, run }) {
    await installation.systemctl("stop", session, player);
    const failOnce = "[Service]\nExecStartPre=+/bin/sh -c '! rm /run/fail-once'\n";
    const dropIn = `/run/systemd/system/${session}.d`;
    await container.call("sh", "-c", 'mkdir -p "$1" && touch /run/fail-once && printf %s "$2" > "$1/fail.conf"', "sh", dropIn, failOnce);
    await installation.systemctl("daemon-reload");
    const from = performance.now();
    await installation.systemctl("start", "--no-block", player);
    await run.until("the player is active", () => isActive(installation, player), startLimitMs);
    await installation.showsContent();
    return performance.now() - from;
  },

  async "a session without a console is tried every five seconds, and says once what is missing"({ container, installation, run }) {
    await installation.systemctl("stop", session, player);
    const before = await countExplanations(container);
    const dropIn = `/run/systemd/system/${session}.d/no-console.conf`;
    const noConsole = "[Service]\nTTYPath=/dev/no-such-console\nStandardInput=tty-fail\n";
    await container.call("sh", "-c", 'mkdir -p "$(dirname "$1")" && printf %s "$2" > "$1"', "sh", dropIn, noConsole);
    await installation.systemctl("daemon-reload");
    await installation.systemctl("start", "--no-block", session, player);
    await run.pause(failingMs);
    const { NRestarts } = await installation.state(session);
    const explanations = (await countExplanations(container)) - before;
    run.print({ restarts: Number(NRestarts), explanations, in_ms: failingMs });
    if (Number(NRestarts) < 2 || Number(NRestarts) > failingMs / 5_000) run.violate(`${NRestarts} restarts in ${failingMs} ms`);
    if (explanations !== 1) run.violate(`what is missing was said ${explanations} times`);
    // It appears again: the player starts without being asked.
    const from = performance.now();
    await container.call("rm", dropIn);
    await installation.systemctl("daemon-reload");
    await run.until("the player is active", () => isActive(installation, player), startLimitMs);
    await installation.showsContent();
    return performance.now() - from;
  },

  "the service restarts after kill -9": (stage) => restart(stage, service, "SIGKILL", restartLimitMs),

  async "the watchdog restarts a player that hangs"(stage) {
    const tookMs = await restart(stage, player, "SIGSTOP", watchdogLimitMs);
    if (!stage.installation.journal.includes("Watchdog timeout")) stage.run.violate("the journal has no timeout of the watchdog");
    return tookMs;
  },

  async "many starts in a short time are not refused"({ installation, run }) {
    for (const unit of [player, service]) {
      const from = performance.now();
      for (let count = 0; count < quickStarts; count += 1) {
        await installation.systemctl("kill", "--signal=SIGKILL", unit);
        await run.until("it has ended", async () => (await installation.state(unit)).MainPID === "0", restartLimitMs);
        await installation.systemctl("start", "--no-block", unit);
        await run.until("it starts", async () => (await installation.state(unit)).MainPID !== "0", restartLimitMs);
      }
      run.print({ unit, starts: quickStarts, ms: Math.round(performance.now() - from) });
    }
    const from = performance.now();
    for (const unit of [player, service]) await run.until(`${unit} is active`, () => isActive(installation, unit), startLimitMs);
    await installation.showsContent();
    return performance.now() - from;
  },

  async "the watchdog leaves a player that plays"({ installation, run }) {
    const before = await installation.state(player);
    const from = Date.now();
    await run.pause(playMs);
    const times = [from, ...installation.presentedAt.filter((at) => at >= from), Date.now()];
    const longest = Math.max(...times.slice(1).map((at, index) => at - times[index]!));
    if (longest > stillLimitMs) run.violate(`no item began for ${longest} ms`);
    expectSame(run, before, await installation.state(player));
    return longest;
  },

  async "the watchdog leaves a player whose display is off"({ installation, run }) {
    const before = await installation.state(player);
    await installation.setDisplay(false);
    await run.pause(darkMs);
    await installation.setDisplay(true);
    const from = performance.now();
    await installation.showsContent();
    expectSame(run, before, await installation.state(player));
    return performance.now() - from;
  },

  async "the journal stays within its limit"({ container, installation, run }) {
    const from = performance.now();
    // Random text, because the journal is compressed.
    await container.call("sh", "-c", `head --bytes=${loggedBytes} /dev/urandom | base64 --wrap=30000 | systemd-cat`);
    await container.call("journalctl", "--sync");
    const files = await container.call("sh", "-c", "find /var/log/journal /run/log/journal -type f -printf '%b\\n'");
    const bytes = files.split("\n").reduce((sum, blocks) => sum + 512 * Number(blocks), 0);
    run.print({ logged_bytes: loggedBytes, journal_bytes: bytes });
    if (bytes > journalBytes) run.violate(`the journal has ${bytes} bytes`);
    await installation.showsContent();
    return performance.now() - from;
  },

  async "systemctl stop ends everything"({ installation, run }) {
    const codes = installation.pairingCodes;
    const from = performance.now();
    await stop(installation, run, player);
    const left = (await installation.processesOf("signage")).filter((name) => /chrom|node/i.test(name));
    if (left.length > 0) run.violate(`the player left processes: ${left.join(", ")}`);
    await stop(installation, run, service);
    await stop(installation, run, session);
    const tookMs = performance.now() - from;
    for (const user of ["signage", "signage-service"] as const) {
      const isGone = async (): Promise<boolean> => (await installation.processesOf(user)).length === 0;
      await run.until(`no process of ${user} is left`, isGone, sessionEndLimitMs);
    }
    await installation.systemctl("start", service, session, player);
    await installation.showsContent();
    if (installation.pairingCodes > codes) run.violate("the player asked to be paired again");
    return tookMs;
  },
};

/** Sends a signal to a unit's main process and waits for content. @returns how long systemd took to start a new process, in ms. */
async function restart({ installation, run }: Stage, unit: string, signal: string, limitMs: number): Promise<number> {
  const { MainPID: before } = await installation.state(unit);
  const codes = installation.pairingCodes;
  const from = performance.now();
  await installation.systemctl("kill", "--kill-whom=main", `--signal=${signal}`, unit);
  const isNew = async (): Promise<boolean> => !["0", before].includes((await installation.state(unit)).MainPID);
  await run.until(`${unit} has a new process`, isNew, limitMs);
  const tookMs = performance.now() - from;
  for (const each of [unit, player]) await run.until(`${each} is active`, () => isActive(installation, each), startLimitMs);
  await installation.showsContent();
  run.print({ unit, signal, restarted_after_ms: Math.round(tookMs), content_after_ms: Math.round(performance.now() - from) });
  if (installation.pairingCodes > codes) run.violate("the player asked to be paired again");
  return tookMs;
}

async function stop(installation: Installation, run: SoakRun, unit: string): Promise<void> {
  const from = performance.now();
  await installation.systemctl("stop", unit);
  const tookMs = performance.now() - from;
  const { Result } = await installation.state(unit);
  run.print({ unit, stopped_after_ms: Math.round(tookMs), result: Result });
  if (Result !== "success" || tookMs > stopLimitMs) run.violate(`${unit} stopped after ${Math.round(tookMs)} ms: ${Result}`);
}

/** How often the journal of this boot says why the session cannot start. */
async function countExplanations(container: Container): Promise<number> {
  const said = await container.call("journalctl", "--output=cat", "--unit=signage-session-failed.service");
  return said.split("the display session has ended").length - 1;
}

async function isActive(installation: Installation, unit: string): Promise<boolean> {
  return (await installation.state(unit)).ActiveState === "active";
}

function expectSame(run: SoakRun, before: object, after: object): void {
  if (JSON.stringify(before) !== JSON.stringify(after)) run.violate(`${JSON.stringify(before)} became ${JSON.stringify(after)}`);
}
