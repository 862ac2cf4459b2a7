// Switches the display by its opening hours, by hand, and for overrides, with or without a network, and reports both power values:
// the requested one and the one that was read back.
import { Observable, type Watchable } from "../../base/async/observable.ts";
import { Signal } from "../../base/async/signal.ts";
import type { CorrectedClock } from "../../base/clock.ts";
import { Fault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { iso, minuteMs } from "../../base/time.ts";
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { DisplayState } from "../../protocol/device/telemetry.ts";
import type { HoursOnClock } from "../../schedule/control/display-hours.ts";
import { askedPowerAt, byHandEndsAt, isInForce, type AskedPower, type PowerByHand } from "../../schedule/control/display-power.ts";
import type { Intervention } from "../../schedule/interventions.ts";
import type { MachineControls, Power } from "../machine-controls.ts";
import type { AskedSettingsStore } from "./asked-settings.ts";
import { displayHoursOf } from "../../schedule/control/control-inputs.ts";
import { PowerSetting } from "./power-setting.ts";

/** The requested power, its source and its end (corrected UTC ms), the power that was read back, and the tool that switches it. */
export type DisplayPowerState = AskedPower & { power: Power | null; by: string | null };

export interface DisplayPowerDependencies {
  desired: Watchable<DesiredState | null>;
  interventions: Watchable<readonly Intervention[]>;
  asked: AskedSettingsStore;
  controls: MachineControls;
  deviceZone: string;
  clock: CorrectedClock;
  log: Log;
}

// Power that was set by hand in a future that this machine's clock only believed in begins anew.
const clockNoiseMs = minuteMs;
// A television may need some seconds until it tells that it is on or off.
const commandReads = 5;
const commandReadMs = 1_000;
const releaseLimitMs = 10_000;
const noTool = "this machine has no tool that switches its display";

export class DisplayPower {
  readonly #dependencies: DisplayPowerDependencies;
  readonly #state = new Observable<DisplayPowerState>({ asked: null, reason: null, until: null, power: null, by: null });
  readonly #offOnPurpose = new Observable(false);
  readonly #changed = new Signal();
  /** The value that the display is brought to; null: nothing is asked of it, or the machine has no tool. */
  #setting: PowerSetting | null = null;
  #updating: Promise<unknown> = Promise.resolve();

  constructor(dependencies: DisplayPowerDependencies) {
    this.#dependencies = dependencies;
  }

  get state(): Watchable<DisplayPowerState> {
    return this.#state;
  }

  /** True if the display is off on request: a tool has switched it off, and it does not tell that it is on. */
  get offOnPurpose(): Watchable<boolean> {
    return this.#offOnPurpose;
  }

  get isOffOnPurpose(): boolean {
    return this.#offOnPurpose.value;
  }

  /** The heartbeat's share of the display's power. */
  report(): Pick<DisplayState, "asked" | "reason" | "until" | "power" | "by"> {
    const { until, ...state } = this.#state.value;
    return { ...state, until: iso(until) };
  }

  /** The reason why the display cannot be switched, for people; null: it can. */
  get missing(): string | null {
    return this.#dependencies.controls.display.power === null ? noTool : null;
  }

  /** Sets the requested power again, because displays were connected or found. */
  reapply(): void {
    this.#setting?.again();
    this.#changed.notify();
  }

  /**
   * Switches the display by hand. Resolves with the power that was read back, and when the opening hours decide again. The value is kept
   * over restarts, but not if the tool does not accept it.
   * @param durationMs undefined: until the opening hours begin or end next.
   * @throws Fault `unsupported` without a tool, `not-applied` if it fails.
   */
  async setByHand(
    power: Power,
    durationMs: number | undefined,
    signal: AbortSignal,
  ): Promise<{ power: Power | null; until: string | null }> {
    if (this.missing !== null) throw new Fault("unsupported", noTool);
    const { asked, clock } = this.#dependencies;
    const before = asked.settings.value.power ?? null;
    const at = clock.now();
    const byHand: PowerByHand = { value: power, at, until: durationMs === undefined ? null : at + durationMs };
    await asked.change({ power: byHand });
    // Also if it was set before: whoever sends the command sees that the display is in another state.
    this.#setting?.again();
    await this.#update(signal);
    const setting = this.#setting;
    if (setting?.value === power && setting.failure !== null) {
      await asked.change({ power: before });
      await this.#update(signal);
      throw setting.failure;
    }
    const readBack = await this.#readUntil(power, signal);
    const endsAt = byHandEndsAt(byHand, this.#hours);
    return { power: readBack, until: iso(endsAt) };
  }

  /** Follows opening hours, commands and overrides until `signal` aborts. The display stays as it is then. */
  async run(signal: AbortSignal): Promise<never> {
    const { desired, interventions, asked, clock } = this.#dependencies;
    const changed = (): void => this.#changed.notify();
    desired.watch(changed, signal);
    interventions.watch(changed, signal);
    asked.settings.watch(changed, signal);
    clock.onStep(changed, signal);
    for (;;) {
      await this.#update(signal);
      const { until } = this.#state.value;
      const changesIn = until === null ? Number.POSITIVE_INFINITY : until - clock.now();
      const stepIn = (this.#setting?.nextAt ?? Number.POSITIVE_INFINITY) - clock.monotonic();
      await this.#changed.wait(clock, Math.max(0, Math.min(changesIn, stepIn)), signal);
    }
  }

  /** Switches a display on again that is off on purpose, because nobody can any more after a revocation. */
  async release(): Promise<void> {
    const { controls, log } = this.#dependencies;
    const wasOff = this.#setting?.value === "off" || this.#state.value.asked === "off";
    this.#setting = null;
    this.#publish({ asked: null, reason: null, until: null });
    if (!wasOff) return;
    try {
      await controls.display.power?.set("on", AbortSignal.timeout(releaseLimitMs));
    } catch (error) {
      log.warn({ reason: reasonOf(error) }, "the display could not be switched on again");
    }
  }

  /** One update after the other: a command and the loop may want one at the same time. */
  #update(signal: AbortSignal): Promise<void> {
    const update = this.#updating.then(() => this.#updateNow(signal));
    this.#updating = update.catch(() => undefined);
    return update;
  }

  async #updateNow(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { interventions, controls, clock, log } = this.#dependencies;
    const now = clock.now();
    const hours = this.#hours;
    const byHand = await this.#byHandAt(now, hours);
    const decision = askedPowerAt({ hours, byHand, interventions: interventions.value }, now);
    const before = this.#state.value;
    if (decision.asked !== before.asked || decision.reason !== before.reason) {
      log.info({ asked: decision.asked, reason: decision.reason }, "the display is asked to be in another state");
    }
    const control = controls.display.power;
    const value = decision.asked ?? this.#valueWithoutRequest;
    if (control === null || value === null) this.#setting = null;
    else if (this.#setting?.value !== value || this.#setting.control !== control) {
      this.#setting = new PowerSetting(control, value, this.#setting, clock, log);
    }
    // The requested power is published before the tool has run: a display that is to be on is no longer off on purpose.
    this.#publish(decision);
    await this.#setting?.step(signal);
    this.#publish(decision);
  }

  /** A display that is off on purpose, and of which nothing is asked any more, is switched on once. Then it is left alone. */
  get #valueWithoutRequest(): Power | null {
    const isDue = this.#state.value.asked === "off" || this.#setting?.value === "off";
    return isDue || (this.#setting !== null && !this.#setting.isAccepted) ? "on" : null;
  }

  /** The power that was set by hand and still counts. Forgets one that has ended, so that it does not return with an earlier clock. */
  async #byHandAt(now: number, hours: HoursOnClock | null): Promise<PowerByHand | null> {
    const { asked } = this.#dependencies;
    let { power = null } = asked.settings.value;
    if (power === null) return null;
    if (power.at > now + clockNoiseMs) {
      power = { ...power, at: now, until: power.until === null ? null : now + power.until - power.at };
      await asked.change({ power });
    }
    if (isInForce(power, hours, now)) return power;
    await asked.change({ power: null });
    return null;
  }

  get #hours(): HoursOnClock | null {
    const { desired, deviceZone } = this.#dependencies;
    return displayHoursOf(desired.value, deviceZone);
  }

  async #readUntil(power: Power, signal: AbortSignal): Promise<Power | null> {
    const setting = this.#setting;
    // An emergency keeps the display on: nothing else is to be expected.
    if (setting?.value !== power) return this.#state.value.power;
    for (let reads = 0; reads < commandReads && setting.power !== null && setting.power !== power; reads += 1) {
      await this.#dependencies.clock.wait(commandReadMs, signal);
      await setting.read(signal);
      if (this.#setting !== setting) break;
      this.#publish(this.#state.value);
    }
    return setting.power;
  }

  #publish({ asked, reason, until }: AskedPower): void {
    const setting = this.#setting;
    const by = this.#dependencies.controls.display.power?.by ?? null;
    this.#state.set({ asked, reason, until, power: setting?.power ?? null, by });
    this.#offOnPurpose.set(asked === "off" && setting?.value === "off" && setting.isReached);
  }
}
