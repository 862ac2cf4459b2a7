// The interface between the player and the machine it runs on.
import type { MachineControls } from "./machine-controls.ts";

/** Readings of the machine; null where it has no such sensor. */
export interface MachineReadings {
  /** Such as `Raspberry Pi 4 Model B Rev 1.4`, or the PC's product name. */
  hardware: string | null;
  /** The system's IANA time zone. */
  timezone: string;
  /** One-minute load average. */
  cpuLoad: number;
  temperatureC: number | null;
  /** Free bytes on the disk that holds `folder`. */
  diskFreeBytes: number | null;
}

/** Numbers that identify a machine even after its disk was wiped; null where one is unknown. */
export interface MachineIdentity {
  /** As the manufacturer set it. It may be a placeholder. */
  serial: string | null;
  /** The permanent MAC address of its first physical network interface, in lower case. */
  mac: string | null;
}

/** A run of the machine, from one start of its system to the next. */
export interface MachineRun {
  /** Different for each run. */
  id: string;
  /** How long the machine has been running, independent of its clock. */
  ageMs(): number;
}

export interface Machine {
  /** Differs for each start of the program, so that a heartbeat proves a restart. */
  readonly bootId: string;
  /** The addresses of its network interfaces, in their order, without loopback and link-local ones. */
  addresses(): string[];
  identity(): Promise<MachineIdentity>;
  readings(folder: string): Promise<MachineReadings>;
  /** The present run of the machine, from its start on; null if it is unknown. */
  readonly run: MachineRun | null;
  /** The power of the connected displays. `off`: all are switched off. Null: unknown, as without a display. */
  displayPower(): Promise<"on" | "off" | null>;
  /** Restarts the machine. Resolves once that has begun. Null if this player is not able or not allowed to. */
  readonly restart: ((signal: AbortSignal) => Promise<void>) | null;
  /** The settings that the player can change, and the values that it can measure. */
  readonly controls: MachineControls;
}
