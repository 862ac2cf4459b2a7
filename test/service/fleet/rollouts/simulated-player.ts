// A player for tests of rollouts: it obeys its desired release as a real one does, and reports by heartbeats over the device API.
import { expect } from "vitest";
import type { UpdateAttempt, UpdateState } from "../../../../src/protocol/device/updates.ts";
import type { FakeClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/polling.ts";
import { heartbeat, type ApiResponse, type Device, type TestService } from "../../harness.ts";

export const start = Date.UTC(2026, 10, 23, 12);
export const minute = 60_000;
const oldVersion = "1.3.0";

/** How a player's attempts end. */
export type Fate = "kept" | "rolled-back" | "control-failed" | "refused";

export class SimulatedPlayer {
  readonly device: Device;
  readonly #clock: FakeClock;
  fate: Fate;
  version = oldVersion;
  #update: UpdateState = {
    is: "current",
    wanted_version: null,
    slot: "package",
    reason: "It is the only one",
    previous_version: null,
    launcher_version: "1.0.0",
    ready_bytes: 0,
    total_bytes: null,
    detail: null,
    last_attempt: null,
  };

  constructor(device: Device, clock: FakeClock, fate: Fate = "kept") {
    this.device = device;
    this.#clock = clock;
    this.fate = fate;
  }

  get id(): string {
    return this.device.playerId;
  }

  /** The version that the service wants; null: none. */
  async wanted(): Promise<string | null> {
    return (await this.#call("GET", "state")).body.player.release?.version ?? null;
  }

  /** Sends a heartbeat as it is now. */
  async report(more: Partial<UpdateState> = {}): Promise<void> {
    this.#update = { ...this.#update, ...more };
    const body = heartbeat({ player_version: this.version, update: this.#update });
    expect((await this.#call("POST", "heartbeat", body)).status).toBe(200);
  }

  /** Sends a heartbeat as a player that no launcher started. */
  async reportWithoutLauncher(): Promise<void> {
    expect((await this.#call("POST", "heartbeat", heartbeat({ player_version: this.version }))).status).toBe(200);
  }

  /** Reports that it has begun with the wanted version. */
  async begin(): Promise<void> {
    const version = await this.wanted();
    if (version === null || version === this.version) return this.report();
    await this.report({ is: "probation", wanted_version: version, last_attempt: this.#attempt(version, "probation") });
  }

  /** Reads its desired release, tries the version, and reports the outcome. */
  async obey(): Promise<void> {
    const version = await this.wanted();
    if (version === null || version === this.version) return this.report({ is: "current", wanted_version: version });
    const outcome = this.fate === "control-failed" ? "rolled-back" : this.fate;
    if (this.fate === "kept") this.version = version;
    const last_attempt = this.#attempt(version, outcome);
    await this.report({ is: this.fate === "kept" ? "current" : "failed", wanted_version: version, last_attempt });
  }

  #attempt(version: string, outcome: UpdateAttempt["outcome"]): UpdateAttempt {
    const control = outcome === "rolled-back" ? (this.fate === "control-failed" ? "failed" : "passed") : null;
    const at = new Date(this.#clock.now()).toISOString();
    return { what: "program", version, at, outcome, detail: outcome === "kept" ? null : "No frames for 30 s", control };
  }

  async #call(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    const answer = await this.device.call(method, path, body);
    if (answer.status !== 401) return answer;
    this.device.access = (await this.device.renew()).body;
    return this.device.call(method, path, body);
  }
}

/** Pairs players that have reported once. */
export async function pairPlayers(api: TestService, clock: FakeClock, count: number, tags: string[] = []): Promise<SimulatedPlayer[]> {
  const players: SimulatedPlayer[] = [];
  for (let index = 0; index < count; index += 1) {
    // The service limits codes per minute.
    if (index % 50 === 49) clock.advance(minute);
    const player = new SimulatedPlayer(await api.pairDevice(`Screen ${index}`), clock);
    if (tags.length > 0) await api.call("PATCH", `players/${player.id}`, { tags });
    players.push(player);
  }
  for (const player of players) await player.report();
  return players;
}

/** Starts a rollout of 1.4.0. */
export async function startRollout(api: TestService, more: object = {}): Promise<ApiResponse["body"]> {
  const answer = await api.call("POST", "rollouts", { version: "1.4.0", rings: [{}], ...more });
  expect([answer.status, answer.status === 201 ? "" : JSON.stringify(answer.body)]).toEqual([201, ""]);
  return answer.body;
}

/** Lets the service look at its rollouts until one has this status and ring; resolves to it. */
export async function reaches(
  api: TestService,
  clock: FakeClock,
  id: string,
  expected: { status?: string; ring?: number },
): Promise<ApiResponse["body"]> {
  return eventually(async () => {
    clock.advance(1_000);
    const { body } = await api.call("GET", `rollouts/${id}`);
    return (expected.status ?? body.status) === body.status && (expected.ring ?? body.ring) === body.ring && body;
  });
}
