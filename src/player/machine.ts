// What the player asks of the box it runs on.

/** Readings of the box; null where it cannot tell. */
export interface MachineReadings {
  /** Such as `Raspberry Pi 4 Model B Rev 1.4` or the PC's product name. */
  hardware: string | null;
  /** IANA zone of the system. */
  timezone: string;
  /** One-minute load average. */
  cpuLoad: number;
  temperatureC: number | null;
  /** Free bytes on the disk that holds `folder`. */
  diskFreeBytes: number | null;
}

/** The box. Acts (display power, volume, reboot) join when commands for them do. */
export interface Machine {
  /** Changes with each start of the player's program: a heartbeat's proof that a restart really happened. */
  readonly bootId: string;
  /** Its addresses in networks, in the order of its interfaces; none of loopback and of single links. */
  addresses(): string[];
  readings(folder: string): Promise<MachineReadings>;
}
