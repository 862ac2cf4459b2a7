// Players whose health a test sets, and a service whose clock it advances.
import { expect } from "vitest";
import type { Heartbeat } from "../../../src/protocol/device/heartbeat.ts";
import type { PlayerProblem, ProblemCode } from "../../../src/protocol/device/player-problems.ts";
import type { Telemetry } from "../../../src/protocol/device/telemetry.ts";
import type { ServiceConfig } from "../../../src/service/config.ts";
import { FakeClock } from "../../support/clock.ts";
import { heartbeat, TestService, type ApiResponse, type Device } from "../harness.ts";

export const minute = 60_000;
const lookMs = 30_000;
// A player is online for 90 s after a heartbeat.
const looksPerBeat = 2;

export class Screen {
  readonly device: Device;
  /** False: it sends no heartbeats. */
  isOn = true;
  health: Partial<Heartbeat> = {};
  /** Headers of its requests. */
  headers: Record<string, string> = {};

  constructor(device: Device) {
    this.device = device;
  }

  get id(): string {
    return this.device.playerId;
  }

  /** Sends a heartbeat, with the content that it should have unless the test says otherwise. */
  async beat(): Promise<void> {
    const answer = await this.#post();
    expect([200, 401]).toContain(answer.status);
    if (answer.status === 200) return;
    this.device.access = (await this.device.renew()).body;
    await this.#post();
  }

  #post(): Promise<ApiResponse> {
    return this.device.call("POST", "heartbeat", heartbeat(this.health), this.headers);
  }
}

/** A service with screens. The clock goes on over restarts. */
export class AlertFleet implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly #folder: string;
  readonly #config: Partial<ServiceConfig>;
  readonly screens: Screen[] = [];
  #looks = 0;
  api: TestService;

  private constructor(folder: string, clock: FakeClock, config: Partial<ServiceConfig>, api: TestService) {
    this.#folder = folder;
    this.clock = clock;
    this.#config = config;
    this.api = api;
  }

  static async start(folder: string, config: Partial<ServiceConfig> = {}): Promise<AlertFleet> {
    const clock = new FakeClock();
    return new AlertFleet(folder, clock, config, await TestService.start(folder, { clock, ...config }));
  }

  /** Screens of a service that a test has started. */
  static of(api: TestService, clock: FakeClock): AlertFleet {
    return new AlertFleet(api.folder, clock, {}, api);
  }

  async stop(): Promise<void> {
    await this.api[Symbol.asyncDispose]();
  }

  /** Starts the service again, with a device that finds it at its new port. */
  async startAgain(): Promise<void> {
    this.moveTo(await TestService.start(this.#folder, { clock: this.clock, ...this.#config }));
  }

  /** Operators and screens use another node from now on. */
  moveTo(api: TestService): void {
    this.api = api;
    for (const { device } of this.screens) Object.assign(device, { url: api.service.url });
  }

  /** Pairs screens that show the newest state of their player. */
  async pair(names: readonly string[], tags: readonly string[] = []): Promise<Screen[]> {
    const added: Screen[] = [];
    for (const name of names) {
      const screen = new Screen(await this.api.pairDevice(name));
      if (tags.length > 0) await this.api.call("PATCH", `players/${screen.id}`, { tags });
      const { revision } = (await screen.device.call("GET", "state")).body;
      screen.health = { content: contentAt(revision) };
      this.screens.push(screen);
      added.push(screen);
      await screen.beat();
    }
    return added;
  }

  /** Lets time pass, while screens that are on send heartbeats. */
  async pass(ms: number): Promise<void> {
    for (const until = this.clock.now() + ms; this.clock.now() < until;) {
      await this.#look();
    }
  }

  /** Lets time pass until `check` returns something. */
  async until<T>(check: () => Promise<T | null | false>): Promise<T> {
    // Each look waits for requests, so nothing is gained by pausing as well.
    for (;;) {
      await this.#look();
      const seen = await check();
      if (seen !== null && seen !== false) return seen;
    }
  }

  /** Lets a long time pass at once. The screens are back before anything is late. */
  async skip(ms: number): Promise<void> {
    this.clock.advance(ms);
    this.#looks = 0;
    await this.#look();
  }

  async #look(): Promise<void> {
    if (this.#looks % looksPerBeat === 0) for (const screen of this.screens) if (screen.isOn) await screen.beat();
    this.#looks += 1;
    this.clock.advance(lookMs);
    // The service looks at its players meanwhile.
    await this.api.call("GET", "alerts/now?limit=1");
  }

  async alerts(query = ""): Promise<ApiResponse["body"][]> {
    return (await this.api.call("GET", `alerts?limit=100${query}`)).body.data;
  }

  /** Waits for an open alert of a kind. */
  opened(screen: Screen, kind: string): Promise<ApiResponse["body"]> {
    return this.until(async () => (await this.alerts(`&state=open&kind=${kind}&player_id=${screen.id}`))[0] ?? null);
  }

  /** Waits until an alert is closed. */
  closed(id: string): Promise<ApiResponse["body"]> {
    return this.until(async () => (await this.alerts("&state=closed")).find((alert) => alert.id === id) ?? null);
  }

  async now(query = ""): Promise<ApiResponse["body"]> {
    return (await this.api.call("GET", `alerts/now${query}`)).body;
  }

  /** Sets the limits of all kinds, and further settings. */
  async set(open_minutes: number, close_minutes: number, more: object = {}): Promise<void> {
    const names = ["dark", "wrong", "late", "full", "hot", "throttled"];
    const kinds = Object.fromEntries(names.map((name) => [name, { open_minutes, close_minutes }]));
    const answer = await this.api.call("PATCH", "alert-settings", { kinds, ...more });
    expect([answer.status, answer.status === 200 ? "" : JSON.stringify(answer.body)]).toEqual([200, ""]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** The content of a player that shows this revision. */
export function contentAt(revision: string, is: Heartbeat["content"]["is"] = "applied"): Heartbeat["content"] {
  return { is, revision, applied_revision: is === "applied" ? revision : null, ready_bytes: 0, total_bytes: 0, detail: null };
}

/** A problem that a player reports. */
export function problem(code: ProblemCode, since = "2026-11-21T11:00:00.000Z"): PlayerProblem {
  return { code, since, zone_id: null, item_id: null, detail: `It has ${code}`, remedy: `Repair ${code}` };
}

/** A display as telemetry reports it. */
export function displayState(asked: "on" | "off" | null, power: "on" | "off" | null): Telemetry {
  const unknown = { brightness_percent: null, rotation: null, mode: null, input: null };
  return { display: { asked, reason: asked === null ? null : "hours", until: null, power, by: "wlopm", ...unknown } };
}
