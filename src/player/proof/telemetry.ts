// Collects the measurements in heartbeats. Reads slow sensors rarely, so that a heartbeat stays cheap and is never late.
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { dayMs, minuteMs } from "../../base/time.ts";
import type { AudioState, DisplayState, ProcessMemory, Telemetry } from "../../protocol/device/telemetry.ts";
import type { PlayerProblem } from "../../protocol/device/player-problems.ts";
import type { FromPage } from "../../protocol/page-messages.ts";
import type { BrowserMemory } from "../host.ts";
import type { Machine } from "../machine.ts";
import type { Control } from "../machine-controls.ts";
import { FrameTelemetry } from "./frame-telemetry.ts";
import { LastFaults } from "./last-faults.ts";
import { SlowReading } from "./slow-reading.ts";

export interface TelemetryDependencies {
  machine: Pick<Machine, "controls" | "identity">;
  /** The folder whose disk matters. */
  folder: string;
  /** The display's state as the player has it; null or a missing part: read it from the machine. */
  displayPower: () => Partial<DisplayState> | null;
  clock: Clock;
  log: Log;
  /** Ends the reads that still run when the player ends. */
  signal: AbortSignal;
}

/** Values that the heartbeat has measured already. */
export interface MeasuredBefore {
  browserMemory: BrowserMemory;
  /** The power of the connected displays, as the machine sees it; null: unknown. */
  power: "on" | "off" | null;
  model: string | null;
}

// Nearly each heartbeat has a new value.
const quickMs = 25_000;
// Volume, brightness or input may take seconds to read, and rarely change without the player.
const settingsMs = 2 * minuteMs;
// A disk wears out over years, and asking it wakes it up.
const storageMs = 30 * minuteMs;
const identityMs = dayMs;

/** The settings of the display and of the sound that the machine tells. */
type DisplaySettings = Pick<DisplayState, "power" | "brightness_percent" | "rotation" | "mode" | "input">;

export class TelemetryCollector {
  readonly #dependencies: TelemetryDependencies;
  readonly #frames: FrameTelemetry;
  readonly #faults = new LastFaults();
  readonly #network;
  readonly #throttling;
  readonly #storage;
  readonly #display;
  readonly #audio;
  readonly #identity;

  constructor(dependencies: TelemetryDependencies) {
    this.#dependencies = dependencies;
    const { machine, folder, clock, log } = dependencies;
    const { sensors } = machine.controls;
    this.#frames = new FrameTelemetry(clock);
    const reading = <T>(name: string, maxAgeMs: number, read: () => Promise<T | null>) =>
      new SlowReading({ name, read, maxAgeMs, clock, log });
    this.#network = reading("network", quickMs, () => sensors.network());
    this.#throttling = reading("throttling", quickMs, () => sensors.throttling());
    this.#storage = reading("storage", storageMs, () => sensors.storage(folder));
    this.#display = reading("display", settingsMs, () => this.#readDisplay());
    this.#audio = reading("audio", settingsMs, () => this.#readAudio());
    this.#identity = reading("identity", identityMs, () => machine.identity());
  }

  handleMessage(message: FromPage): void {
    this.#frames.handleMessage(message);
  }

  /** The measurements for one heartbeat. Takes at most half a second, whatever a sensor does. */
  async collect({ browserMemory, power, model }: MeasuredBefore): Promise<Telemetry> {
    const [network, throttling, storage, display, audio, identity] = await Promise.all([
      this.#network.value(),
      this.#throttling.value(),
      this.#storage.value(),
      this.#display.value(),
      this.#audio.value(),
      this.#identity.value(),
    ]);
    const memory: ProcessMemory = { player: process.memoryUsage.rss(), ...browserMemory };
    return {
      frames: this.#frames.take(),
      memory,
      network,
      display: this.#displayState(display, power),
      audio,
      throttling,
      storage,
      model,
      serial: identity?.serial ?? null,
    };
  }

  /** The newest problems of this run. @param problems the current ones */
  lastFaults(problems: readonly PlayerProblem[]): NonNullable<Telemetry["last_faults"]> {
    this.#faults.note(problems);
    return this.#faults.list;
  }

  /** Null: there is nothing to tell. */
  #displayState(settings: DisplaySettings | null, power: "on" | "off" | null): DisplayState | null {
    const known = this.#dependencies.displayPower();
    if (settings === null && power === null && known === null) return null;
    const { power: controlled } = this.#dependencies.machine.controls.display;
    return {
      asked: null,
      reason: null,
      until: null,
      by: controlled?.by ?? null,
      brightness_percent: settings?.brightness_percent ?? null,
      rotation: settings?.rotation ?? null,
      mode: settings?.mode ?? null,
      input: settings?.input ?? null,
      ...known,
      power: known?.power ?? settings?.power ?? power,
    };
  }

  /** Null: the machine tells nothing of its display. */
  async #readDisplay(): Promise<DisplaySettings | null> {
    const { power, brightness, rotation, mode, input } = this.#dependencies.machine.controls.display;
    const controls = [power, brightness, rotation, mode, input];
    if (controls.every((control) => control === null)) return null;
    // The part that switches the display knows its power better than a second query of the machine.
    const isPowerKnown = (this.#dependencies.displayPower()?.power ?? null) !== null;
    const [powerNow, brightness_percent, rotationNow, modeNow, inputNow] = await Promise.all([
      isPowerKnown ? null : this.#read(power),
      this.#read(brightness),
      this.#read(rotation),
      this.#read(mode),
      this.#read(input),
    ]);
    return { power: powerNow, brightness_percent, rotation: rotationNow, mode: modeNow, input: inputNow };
  }

  async #readAudio(): Promise<AudioState | null> {
    const { output, volume, muted } = this.#dependencies.machine.controls.audio;
    if (output === null && volume === null && muted === null) return null;
    const [outputNow, volume_percent, mutedNow] = await Promise.all([this.#read(output), this.#read(volume), this.#read(muted)]);
    return { output: outputNow, volume_percent, muted: mutedNow };
  }

  #read<T>(control: Control<T> | null): Promise<T | null> {
    return control === null ? Promise.resolve(null) : control.read(this.#dependencies.signal);
  }
}
