// The launcher's daemon: answers the player's requests, judges probations, and makes the unit run the decided slot.
import { isAbort, reasonOf } from "../base/fault.ts";
import { hourMs, minuteMs } from "../base/time.ts";
import { installedBrowser, isBrowserOf, keepBrowser, releaseHold, restoreBrowser } from "./browser-packages.ts";
import { answerRequest } from "./install.ts";
import { readHealth, readUnitStart, type Launcher } from "./launcher-parts.ts";
import { ProbationWatch, type Verdict } from "./probation.ts";
import { checkSlot, emptySlot } from "./slots.ts";
import type { UnitStart, State, Trial } from "./state.ts";
import { publishStatus } from "./status.ts";
import { baselineOf, beginBrowser, failTrial, passTrial } from "./transitions.ts";

const unit = "signage-player.service";
const tickMs = 2_000;
/** Often enough that a power cut costs a probation little, seldom enough for a memory card. */
const saveMs = minuteMs;
const restartPauseMs = 30_000;
const browserCheckMs = minuteMs;
const browserKeepMs = 6 * hourMs;

/** One daemon. {@link tick} is one look at everything; {@link run} repeats it until it is stopped. */
export class LauncherWatch {
  readonly #launcher: Launcher;
  #probation: { key: string; watch: ProbationWatch; savedMs: number } | null = null;
  #restartedAt = Number.NEGATIVE_INFINITY;
  #browserCheckedAt = Number.NEGATIVE_INFINITY;
  #browserKeptAt = Number.NEGATIVE_INFINITY;
  #lastStatus = "";
  /** Why the parts failed that fail now. */
  readonly #failures = new Map<unknown, string>();
  #lastTidy: string | null = null;

  constructor(launcher: Launcher) {
    this.#launcher = launcher;
  }

  async run(signal: AbortSignal): Promise<never> {
    for (;;) {
      await this.tick(signal);
      await this.#launcher.device.clock.wait(tickMs, signal);
    }
  }

  /** Does all work that is due. A part that fails is logged and tried again at the next tick; the other parts do not wait for it. */
  async tick(signal?: AbortSignal): Promise<void> {
    for (const part of [this.#judge, this.#answer, this.#watchBrowser, this.#runDecidedSlot, this.#publish]) {
      try {
        await part(signal);
        this.#failures.delete(part);
      } catch (error) {
        if (isAbort(error)) throw error;
        // A disk that fails for days must not fill the journal.
        const reason = reasonOf(error);
        if (this.#failures.get(part) !== reason) this.#launcher.log("a part of the launcher failed", { reason });
        this.#failures.set(part, reason);
      }
    }
  }

  readonly #judge = async (): Promise<void> => {
    const { store, device, log } = this.#launcher;
    const { trial, browser, attempt } = await store.read();
    // The version before is tested when it is installed again.
    if (trial === null || (trial.what === "browser" && browser.restoring)) return void (this.#probation = null);
    const key = JSON.stringify([trial.is, trial.what, trial.version, attempt?.at]);
    if (this.#probation?.key !== key) {
      this.#probation = { key, watch: new ProbationWatch(trial, device.uptime()), savedMs: trial.passedMs };
    }
    const verdict = this.#probation.watch.observe(await this.#observe(trial));
    if (verdict.is === "watching") return this.#save(trial, verdict.passedMs);
    log(verdict.is === "passed" ? "a version passed its test" : "a version failed its test", { ...trial, ...verdict });
    await store.change((state) => (isSame(state.trial, trial) ? conclude(state, verdict, device.clock.now()) : state));
  };

  async #observe(trial: Trial) {
    const { folders, device } = this.#launcher;
    const [health, bootId, uptimeMs] = [await readHealth(folders), await device.bootId(), device.uptime()];
    const version = trial.what === "program" ? trial.version : null;
    const isSilent = health === null || health.boot_id !== bootId || uptimeMs - health.monotonic_ms > tickMs * 10;
    const isStopped = isSilent && (await this.#isStopped());
    return { health, version, bootId, uptimeMs, isStopped };
  }

  /** True if people stopped the player. Where systemd does not answer, a silent player is a fault. */
  async #isStopped(): Promise<boolean> {
    try {
      const state = await this.#launcher.device.run("systemctl", ["show", "-p", "ActiveState", "--value", unit]);
      return state.trim() === "inactive";
    } catch (error) {
      this.#launcher.log("systemctl failed", { reason: reasonOf(error) });
      return false;
    }
  }

  async #save(trial: Trial, passedMs: number): Promise<void> {
    const probation = this.#probation!;
    // A run that ended begins again at zero, which must survive a power cut too.
    if (passedMs - probation.savedMs < saveMs && passedMs >= probation.savedMs) return;
    probation.savedMs = passedMs;
    await this.#launcher.store.change((state) =>
      isSame(state.trial, trial) ? { ...state, trial: { ...state.trial!, passedMs: Math.round(passedMs) } } : state,
    );
  }

  readonly #answer = async (signal?: AbortSignal): Promise<void> => {
    await answerRequest(this.#launcher, await this.#launcher.store.read(), signal);
  };

  /** Makes the unit run the state's slot. A switch is complete without this: the next start of the unit runs the new slot. */
  readonly #runDecidedSlot = async (): Promise<void> => {
    const { folders, store, device, log } = this.#launcher;
    const [state, unitStart] = [await store.read(), await readUnitStart(folders)];
    if (unitStart?.slot === state.slot) return this.#tidy(state);
    if (unitStart === null || device.uptime() - this.#restartedAt < restartPauseMs) return;
    this.#restartedAt = device.uptime();
    // A slot that the disk fails to read is not worth an interruption.
    if ((await checkSlot(folders, state.slot)).is !== "startable") return;
    log("restarting the player", { from: unitStart.slot, to: state.slot });
    await this.#restart();
  };

  async #restart(): Promise<void> {
    // Without waiting: before-start takes the state's lock, and a start may take two minutes.
    await this.#launcher.device.run("systemctl", ["restart", "--no-block", unit]);
  }

  /** Frees the disk of a slot whose version failed, once it does not run any more. */
  async #tidy(state: State): Promise<void> {
    if (state.failed === null || this.#lastTidy === state.failed.retry_at || state.trial?.is === "probation") return;
    const { folders, log } = this.#launcher;
    for (const slot of ["a", "b"] as const) {
      if (slot === state.slot || slot === state.previous) continue;
      const check = await checkSlot(folders, slot);
      if (check.is !== "startable" || check.version !== state.failed.version) continue;
      log("emptying the slot of a version that failed", { slot, version: check.version });
      await emptySlot(folders, slot);
    }
    this.#lastTidy = state.failed.retry_at;
  }

  readonly #watchBrowser = async (): Promise<void> => {
    const { store, device, folders, log } = this.#launcher;
    const now = device.uptime();
    if (now - this.#browserCheckedAt < browserCheckMs) return;
    this.#browserCheckedAt = now;
    const version = await installedBrowser(device);
    if (version === null) return;
    const state = await store.read();
    const { good, refused: faultyVersion, restoring } = state.browser;
    if (restoring) {
      await restoreBrowser(this.#launcher, state.trial?.version ?? good ?? "");
      await store.change((current) => ({ ...current, browser: { ...current.browser, restoring: false } }));
      return this.#restart();
    }
    if (faultyVersion !== null && (await releaseHold(this.#launcher, faultyVersion))) {
      await store.change((current) => ({ ...current, browser: { ...current.browser, refused: null } }));
    }
    if (good === null) await store.change((current) => ({ ...current, browser: { ...current.browser, good: version } }));
    else if (version !== good && state.trial === null) {
      const health = await readHealth(folders);
      // The player starts the new browser in its maintenance window. Until then the old one runs on, and there is nothing to test.
      if (health?.browser != null && isBrowserOf(health.browser, version)) {
        log("the player runs another browser", { from: good, to: version });
        await store.change((current) => beginBrowser(current, version, this.#browserBaseline, device.clock.now()));
      }
    } else if (version === good) this.#browserBaseline = baselineOf(await readHealth(folders));
    if (now - this.#browserKeptAt >= browserKeepMs) {
      this.#browserKeptAt = now;
      await keepBrowser(this.#launcher, [], true);
    }
  };

  /** The checks that passed with the good browser, in the last minute in which it ran. */
  #browserBaseline = baselineOf(null);

  readonly #publish = async (): Promise<void> => {
    const { folders, store } = this.#launcher;
    const [state, unitStart] = [await store.read(), await readUnitStart(folders)];
    if (unitStart === null) return;
    const passedMs = this.#probation?.savedMs;
    const key = JSON.stringify([state, unitStart, passedMs] satisfies [State, UnitStart, number | undefined]);
    if (key === this.#lastStatus) return;
    await publishStatus(this.#launcher, state, unitStart, passedMs);
    this.#lastStatus = key;
  };
}

function conclude(state: State, verdict: Exclude<Verdict, { is: "watching" }>, now: number): State {
  return verdict.is === "passed" ? passTrial(state, now) : failTrial(state, verdict.detail, now);
}

/** The command before-start may have ended the trial in the meantime. */
function isSame(a: Trial | null, b: Trial): boolean {
  return a?.is === b.is && a.what === b.what && a.version === b.version;
}
