// Brings the player's program to the version that its desired state names, together with the launcher. Decides nothing itself: see plan-update.ts.
import { join } from "node:path";
import { z } from "zod";
import { Signal } from "../../base/async/signal.ts";
import type { Watchable } from "../../base/async/observable.ts";
import type { CorrectedClock } from "../../base/clock.ts";
import { Fault, isAbort } from "../../base/fault.ts";
import { DurableFile } from "../../base/files/durable-file.ts";
import type { Log } from "../../base/log.ts";
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { Heartbeat } from "../../protocol/device/heartbeat.ts";
import type { PlayerProblem } from "../../protocol/device/player-problems.ts";
import {
  type Architecture,
  type DesiredRelease,
  type LauncherStatus,
  ReleaseVersion,
  type UpdateState,
} from "../../protocol/device/updates.ts";
import { timeZoneRulesOrUtc } from "../../schedule/calendar/time-zone.ts";
import { type DiskHealth, removals } from "../storage/disk-health.ts";
import { StoredValue } from "../storage/stored-value.ts";
import type { BrowserChange } from "./browser-change.ts";
import { BundleFiles } from "./bundle-files.ts";
import { LauncherFiles } from "./launcher-files.ts";
import { windowOpensAt } from "./maintenance-window.ts";
import { planUpdate, type UpdatePlan } from "./plan-update.ts";
import { isSure, type ReleaseSource, VersionPreparation } from "./preparation.ts";
import { ReleaseMetadata } from "./release-metadata.ts";
import { SwitchRequests } from "./switch-requests.ts";
import { describeUpdate, updateProblems } from "./update-report.ts";

/** The files of the player's launcher, and the facts that verifying releases needs. */
export interface LauncherOptions {
  /** The launcher's status.json. */
  statusFile: string;
  /** The folder for metadata, bundles and requests. */
  updatesFolder: string;
  /** The trust anchor of releases; null: the machine has none. */
  rootFile: string | null;
  /** Where the player reports its health to the launcher, in memory; null: nowhere. */
  healthFile: string | null;
  /** Null: there are no releases for this machine. */
  architecture: Architecture | null;
  /** The browser's program, which another program may replace; null: the player brings its own. */
  browserExecutable: string | null;
  /** The memory that player and browser may use together, in bytes. */
  memoryBudgetBytes: number;
}

export interface UpdatesDependencies {
  launcher: LauncherOptions;
  /** Null: nothing but an update replaces the browser. */
  browser: BrowserChange | null;
  /** The machine's own IANA time zone. */
  deviceZone: string;
  clock: CorrectedClock;
  log: Log;
  disk: DiskHealth;
}

/** The part of a session that updates use. */
export interface UpdateSession extends ReleaseSource {
  desired: Watchable<DesiredState | null>;
  /** Called when the heartbeat should tell of a change at once. */
  onChange: () => void;
}

// The launcher answers within seconds, by its status file.
const checkMs = 5_000;

const AtOnce = z.object({ version: ReleaseVersion });
type AtOnce = z.infer<typeof AtOnce>;

export class Updates {
  readonly #dependencies: UpdatesDependencies;
  readonly #files: LauncherFiles;
  readonly #metadata: ReleaseMetadata;
  readonly #bundles: BundleFiles;
  readonly #requests: SwitchRequests;
  /** The version that a command asked for at once, kept across restarts; null: none. */
  readonly #atOnce: StoredValue<AtOnce>;
  readonly #changed = new Signal();
  #session: UpdateSession | null = null;
  #preparation: { work: VersionPreparation; stop: AbortController; ended: Promise<void> } | null = null;
  #plan: Pick<UpdatePlan, "is" | "detail"> = { is: "current", detail: null };
  /** The refusal, by its time, that a command overrides. */
  #overriddenRefusal: string | null = null;
  /** The circumstances of the last preparation. If they change, one that is blocked may succeed. */
  #circumstances = "";

  private constructor(dependencies: UpdatesDependencies, files: LauncherFiles, requests: SwitchRequests, atOnce: StoredValue<AtOnce>) {
    const { launcher, clock, log } = dependencies;
    this.#dependencies = dependencies;
    this.#files = files;
    this.#requests = requests;
    this.#atOnce = atOnce;
    this.#metadata = new ReleaseMetadata(launcher.updatesFolder, launcher.rootFile);
    this.#bundles = new BundleFiles(launcher.updatesFolder, clock, log);
  }

  static async open(dependencies: UpdatesDependencies): Promise<Updates> {
    const { launcher, clock, log, disk } = dependencies;
    const files = new LauncherFiles(launcher.statusFile, launcher.updatesFolder, log);
    await files.refresh();
    const stored = new DurableFile(join(launcher.updatesFolder, "at-once.json"), (json) => AtOnce.parse(json));
    const atOnce = await StoredValue.open(stored, disk, "waiting for the maintenance window");
    return new Updates(dependencies, files, await SwitchRequests.open(files, clock, log, disk), atOnce);
  }

  /** The state of the update; null: the launcher has not told its status yet. */
  get update(): UpdateState | null {
    const { status } = this.#files;
    return status === null
      ? null
      : describeUpdate(status, this.#wanted?.version ?? null, this.#plan, this.#preparation?.work.state ?? null);
  }

  /** The heartbeat's share of the update. */
  report(): Pick<Heartbeat, "update"> {
    const { update } = this;
    return update === null ? {} : { update };
  }

  /** The problems of the update. @param now corrected wall time, ms. */
  problems(now: number): PlayerProblem[] {
    const { update } = this;
    return update === null ? [] : updateProblems(update, now);
  }

  /**
   * Installs the wanted version without waiting for the maintenance window, and asks the launcher again that refused it.
   * @throws Fault `unsupported` if the launcher does not tell its status.
   */
  async installNow(): Promise<Record<string, unknown>> {
    const { status } = this.#files;
    if (status === null) throw new Fault("unsupported", `the launcher does not answer: ${this.#files.trouble ?? "it has no status"}`);
    const version = this.#wanted?.version ?? null;
    if (version !== null && version !== status.version) {
      await this.#atOnce.set({ version });
      if (status.last_attempt?.outcome === "refused") this.#overriddenRefusal = status.last_attempt.at;
      this.#requests.forget();
      this.retryNow();
    }
    return { version: version ?? status.version, is: this.#plan.is };
  }

  /** Tries again at once, because the service can be reached again. */
  retryNow(): void {
    this.#preparation?.work.retryNow();
    this.#changed.notify();
  }

  /** Follows the desired state of a session until `signal` aborts. */
  async follow(session: UpdateSession, signal: AbortSignal): Promise<never> {
    this.#session = session;
    session.desired.watch(() => this.#changed.notify(), signal);
    try {
      await this.#dependencies.clock.wait(Number.POSITIVE_INFINITY, signal);
      throw signal.reason;
    } finally {
      this.#session = null;
      await this.#stopPreparation();
      this.#changed.notify();
    }
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<never> {
    const { clock } = this.#dependencies;
    try {
      for (;;) {
        await this.#evaluate();
        await this.#changed.wait(clock, checkMs, signal);
      }
    } finally {
      await this.#stopPreparation();
    }
  }

  get #wanted(): DesiredRelease | null {
    return this.#session?.desired.value?.player.release ?? null;
  }

  async #evaluate(): Promise<void> {
    const { clock, browser, disk } = this.#dependencies;
    await this.#files.refresh();
    const { status } = this.#files;
    const isBrowserNew = (await browser?.check()) ?? false;
    if (status === null) return;
    const wanted = this.#wanted;
    this.#retryIfChanged(status);
    const opensAt = this.#opensAt(wanted);
    const plan = planUpdate({
      status,
      wanted,
      preparation: this.#preparation?.work.version === wanted?.version ? (this.#preparation?.work.state ?? null) : null,
      opensAt,
      isNow: wanted !== null && (wanted.install === "now" || this.#atOnce.value?.version === wanted.version),
      overriddenRefusal: this.#overriddenRefusal,
      isClockSure: isSure(clock),
      now: clock.now(),
    });
    await this.#prepare(plan.needsBundle ? wanted!.version : null);
    // Before the session has opened, or without a pairing, the wanted version is unknown: stored bundles stay.
    const isKnown = this.#session?.desired.value != null;
    if (isKnown && plan.is === "current") await this.#clean(wanted);
    const mayRelaunch = isBrowserNew && opensAt === null && status.probation === null && isSure(clock);
    this.#setPlan(await this.#requests.settle(status, plan, { version: wanted?.version ?? null, isKnown, mayRelaunch }));
    await disk.attempt("update", () => this.#atOnce.save());
  }

  #opensAt(wanted: DesiredRelease | null): number | null {
    const { clock, deviceZone } = this.#dependencies;
    const timeZone = timeZoneRulesOrUtc(this.#session?.desired.value?.player.timezone ?? null, deviceZone);
    return windowOpensAt(wanted?.windows, timeZone, clock.now());
  }

  /** A preparation that is blocked may go on after the clock has become sure, or with another launcher. */
  #retryIfChanged(status: LauncherStatus): void {
    const circumstances = `${status.launcher_version} ${isSure(this.#dependencies.clock)}`;
    if (circumstances !== this.#circumstances) this.#preparation?.work.retryNow();
    this.#circumstances = circumstances;
  }

  /** Prepares this version and no other; null: none. */
  async #prepare(version: string | null): Promise<void> {
    if (version === (this.#preparation?.work.version ?? null)) return;
    await this.#stopPreparation();
    const session = this.#session;
    if (version === null || session === null) return;
    const { launcher, clock, log } = this.#dependencies;
    const [metadata, bundles, source, { architecture }] = [this.#metadata, this.#bundles, session, launcher];
    const launcherVersion = (): string => this.#files.status!.launcher_version;
    const dependencies = { metadata, bundles, source, architecture, launcherVersion, clock, log };
    const work = new VersionPreparation(version, dependencies, () => this.#changed.notify());
    const stop = new AbortController();
    const ended = work.run(stop.signal).catch((error: unknown) => {
      if (!isAbort(error)) log.error({ err: error, version }, "the preparation of a version has failed");
    });
    this.#preparation = { work, stop, ended };
    this.#changed.notify();
  }

  async #stopPreparation(): Promise<void> {
    const preparation = this.#preparation;
    if (preparation === null) return;
    this.#preparation = null;
    preparation.stop.abort();
    await preparation.ended;
  }

  /** The version that runs needs no bundle: the launcher has it in a slot. */
  async #clean(wanted: DesiredRelease | null): Promise<void> {
    const { disk } = this.#dependencies;
    await disk.attempt(removals, () => this.#bundles.keepOnly(null));
    if (wanted !== null && this.#atOnce.value !== null) await this.#atOnce.set(null);
  }

  #setPlan(plan: Pick<UpdatePlan, "is" | "detail">): void {
    const before = this.#plan;
    this.#plan = plan;
    if (plan.is === before.is) return;
    this.#dependencies.log.info({ version: this.#wanted?.version ?? null, from: before.is, to: plan.is, detail: plan.detail }, "update");
    this.#session?.onChange();
  }
}
