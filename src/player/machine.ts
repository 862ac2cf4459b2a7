// The interface between the player and the machine it runs on.

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

export interface Machine {
  /** Differs for each start of the program, so that a heartbeat proves a restart. */
  readonly bootId: string;
  /** The addresses of its network interfaces, in their order, without loopback and link-local ones. */
  addresses(): string[];
  readings(folder: string): Promise<MachineReadings>;
}
