// The player's access to its machine's settings and sensors. The requested value and the value that was read back are two facts.
import type { AudioOutput, DisplayOutput } from "../protocol/device/capabilities.ts";
import type { DisplayMode, DisplayRotation, Power } from "../protocol/device/display-commands.ts";
import type { NetworkState, StorageHealth, Throttling } from "../protocol/device/telemetry.ts";

// The adapters in src/host take the types from here, because they know nothing else of the protocol.
export type { AudioOutput, DisplayMode, DisplayOutput, DisplayRotation, NetworkState, Power, StorageHealth, Throttling };

/** A setting of the machine. A missing tool is a control that is null, never an exception. */
export interface Control<T> {
  /** The tool behind it, such as `wlopm`. */
  readonly by: string;
  /**
   * Resolves once the tool has accepted the value. Whether it took effect is another question: see {@link read}.
   * @throws Fault `unsupported` for a value that the machine does not have, `not-applied` if the tool fails.
   */
  set(value: T, signal: AbortSignal): Promise<void>;
  /** The present value as the machine tells it; null: cannot tell. Never rejects, except with an AbortError. */
  read(signal: AbortSignal): Promise<T | null>;
}

/** The controls of the displays. All displays of the machine are set alike. */
export interface DisplayControls {
  power: Control<Power> | null;
  /** Percent, 0 to 100. */
  brightness: Control<number> | null;
  rotation: Control<DisplayRotation> | null;
  /** null as a value to set: the mode that the display prefers. */
  mode: Control<DisplayMode | null> | null;
  input: Control<string> | null;
  /** The names of the inputs that `input` accepts. */
  inputs: readonly string[];
  outputs: readonly DisplayOutput[];
}

export interface AudioControls {
  /** Percent, 0 to 100. */
  volume: Control<number> | null;
  muted: Control<boolean> | null;
  /** By name; null as a value to set: the system's default. */
  output: Control<string | null> | null;
  outputs: readonly AudioOutput[];
}

/** Measurements. Each is null if the machine does not tell. None rejects. */
export interface MachineSensors {
  network(): Promise<NetworkState | null>;
  throttling(): Promise<Throttling | null>;
  /** Of the disk that holds `folder`. */
  storage(folder: string): Promise<StorageHealth | null>;
}

export interface MachineControls {
  /** As found by the last probe. */
  readonly display: DisplayControls;
  readonly audio: AudioControls;
  readonly sensors: MachineSensors;
  /** Looks again for the machine's displays and outputs. Resolves when {@link display} and {@link audio} are up to date. */
  probe(signal: AbortSignal): Promise<void>;
  /**
   * Probes at start and after each hotplug, and calls `listener` after each of these probes, until `signal` aborts (rejects with
   * an AbortError then).
   */
  follow(listener: () => void, signal: AbortSignal): Promise<never>;
  /** Switches the machine off. Resolves once that has begun. Null if the player is not able or not allowed to. */
  readonly shutdown: ((signal: AbortSignal) => Promise<void>) | null;
  /** Why the machine cannot be restarted or switched off, for people; null: it can. */
  readonly powerObstacles: { readonly restart: string | null; readonly shutdown: string | null };
}

const noPower = "this machine cannot be restarted or switched off by its program";

/** The controls of a machine that has none. */
export function noControls(): MachineControls {
  return {
    display: { power: null, brightness: null, rotation: null, mode: null, input: null, inputs: [], outputs: [] },
    audio: { volume: null, muted: null, output: null, outputs: [] },
    sensors: { network: async () => null, throttling: async () => null, storage: async () => null },
    probe: async () => undefined,
    follow: (listener, signal) =>
      new Promise((_, reject) => {
        if (signal.aborted) return reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        return listener();
      }),
    shutdown: null,
    powerObstacles: { restart: noPower, shutdown: noPower },
  };
}
