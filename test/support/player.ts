// The real player in this process, on a fake host, a fake machine and a fake clock.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { directNetwork, type Network } from "../../src/base/http/network.ts";
import type { Log } from "../../src/base/log.ts";
import { noControls, type MachineControls } from "../../src/player/machine-controls.ts";
import type { Machine } from "../../src/player/machine.ts";
import type { PlayerConfig } from "../../src/player/player-config.ts";
import { runPlayer, type PlayerEnd, type PlayerEnvironment } from "../../src/player/player.ts";
import type { FakeClock } from "./clock.ts";
import { FakeHost } from "./fake-host.ts";
import { eventually } from "./polling.ts";
import { createLog, type LogLine } from "./recording-log.ts";

export type { LogLine } from "./recording-log.ts";

/** A machine whose readings a test sets. */
export function fakeMachine(controls: MachineControls = noControls()): Machine {
  return {
    bootId: randomUUID(),
    addresses: () => ["192.0.2.7"],
    identity: async () => ({ serial: "FAKE-1001", mac: "00:11:22:33:44:55" }),
    run: { id: "first", ageMs: () => 0 },
    displayPower: async () => "on",
    restart: null,
    controls,
    readings: async () => ({ hardware: "Fake machine", timezone: "UTC", cpuLoad: 0.5, temperatureC: 40, diskFreeBytes: 1e12 }),
  };
}

/** The configuration of a player with this folder, which also has its page. */
export function testConfig(folder: string): PlayerConfig {
  return {
    folder,
    rendererFolder: folder,
    version: "1.2.3",
    deviceZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    notice: null,
    ntp: [],
    triggers: false,
    declared: { scripts: null, wiredDisplays: join(folder, "absent.json"), ownerUid: 0 },
    preload: null,
    quota: null,
    mayReachLocal: () => false,
    launcher: null,
  };
}

export class TestPlayer implements AsyncDisposable {
  readonly host: FakeHost;
  readonly machine: Machine;
  readonly lines: LogLine[];
  /** Addresses of services that the player stored, newest last. */
  readonly servers: string[] = [];
  /** Resolves to "restart", or to the error that ended the player. */
  readonly ended: Promise<PlayerEnd | Error>;
  readonly #stop = new AbortController();

  constructor(
    folder: string,
    server: PlayerEnvironment["server"],
    clock: FakeClock,
    more: Partial<Pick<PlayerConfig, "launcher" | "declared" | "notice" | "ntp" | "preload" | "quota">> & {
      network?: Network;
      log?: Log;
      controls?: MachineControls;
    } = {},
  ) {
    const { network = directNetwork(), controls, log, ...config } = more;
    this.machine = fakeMachine(controls);
    const recorded = createLog();
    this.lines = recorded.lines;
    this.host = new FakeHost(clock);
    const environment = {
      server,
      host: this.host,
      machine: this.machine,
      settings: { rememberServer: async (address: string) => void this.servers.push(address) },
      network,
      supervise: null,
      clock,
      log: log ?? recorded.log,
    };
    this.ended = runPlayer({ ...testConfig(folder), ...config }, environment, this.#stop.signal).catch((error: unknown) => error as Error);
  }

  /** The first log line with this message from line `from` on; waits for it. */
  line(message: string, from = 0): Promise<LogLine> {
    return eventually(() => this.lines.slice(from).find(({ msg }) => msg === message) ?? null);
  }

  /** The pairing code on the page; waits for it. */
  async pairingCode(from = 0): Promise<string> {
    const { screen } = await this.host.sceneThat(({ screen: each }) => each.is === "pairing" && each.code !== null, from);
    return (screen as { code: string }).code;
  }

  /** Ends the player as its program does and waits for its end. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
