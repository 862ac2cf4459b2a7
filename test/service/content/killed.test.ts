// The real program, killed after any SQL statement of a pairing and of a command: the state after the restart.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AuditEntry } from "../../../src/protocol/operator/people.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Program } from "../../support/programs/programs.ts";
import { call, Device, heartbeat, TestService, type ApiResponse } from "../harness.ts";
import { isOnPostgres } from "../test-database.ts";

const preload = new URL("../../support/programs/copy-states.ts", import.meta.url).href;

/** A service that keeps the state that a kill would leave after each SQL statement, once it is armed. */
class CopiedService implements AsyncDisposable {
  readonly url: string;
  readonly #program: Program;
  readonly #folder: string;
  readonly #token: string;

  private constructor(program: Program, url: string, folder: string, token: string) {
    this.#program = program;
    this.url = url;
    this.#folder = folder;
    this.#token = token;
  }

  static async start(folder: string): Promise<CopiedService> {
    const data = join(folder, "data");
    const env = { NODE_OPTIONS: `--import=${preload}`, DATA: data, COPIES: join(folder, "copies") };
    const program = new Program(["src/main/cli.ts", "serve", "--port", "0", "--data", data], env);
    const url = String((await program.line("listening"))["url"]);
    return new CopiedService(program, url, folder, (await readFile(join(data, "admin-token"), "utf8")).trim());
  }

  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return call(this.url, method, path, body, { authorization: `Bearer ${this.#token}`, ...headers });
  }

  /** A new device, paired and with its first token. */
  async pairedDevice(): Promise<Device> {
    const device = new Device(this.url);
    await device.askForCode();
    await this.call("POST", "players/pair", { code: device.grant.user_code, name: "Screen" });
    await device.firstToken();
    return device;
  }

  /**
   * Sends a request.
   * @returns the data folders that a kill after each step would have left, in order, without those that equal the one before; the last
   *   one is of a moment after the response.
   */
  async statesDuring(request: () => Promise<ApiResponse>, status: number): Promise<string[]> {
    const from = await this.#signal("armed");
    expect((await request()).status).toBe(status);
    const end = await this.#signal("disarmed");
    expect(end - from).toBeGreaterThan(4);
    const all = Array.from({ length: end - from }, (_, place) => join(this.#folder, "copies", String(from + place)));
    const contents = await Promise.all(all.map(contentOf));
    // Many statements only read, and leave the files as they are.
    return all.filter((_, place) => contents[place] !== contents[place - 1]);
  }

  /** Makes the program begin or end its copies. @returns how many it has made */
  async #signal(answer: "armed" | "disarmed"): Promise<number> {
    const since = this.#program.lines.length;
    process.kill(this.#program.pid, "SIGUSR2");
    return Number((await this.#program.line(answer, since))["copies"]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program[Symbol.asyncDispose]();
  }
}

/** What tells a data folder's state from another: its files without SQLite's index of the write-ahead log, which a restart rebuilds. */
async function contentOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith("-shm"))
    .map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash("sha256");
  for (const path of files.toSorted())
    hash
      .update(path.slice(folder.length))
      .update("\0")
      .update(await readFile(path));
  return hash.digest("hex");
}

/** The audit log's actions on `resource`. Checks the hash chain too. */
async function actionsOn(service: TestService, resource: string): Promise<string[]> {
  expect((await service.call("GET", "audit/verify")).body.holds).toBe(true);
  return (await service.call("GET", `audit?resource_id=${resource}`)).body.data.map(({ action }: AuditEntry) => action);
}

/** The same device, connected to the service after its restart. */
function moved(device: Device, service: TestService): Device {
  return Object.assign(new Device(service.service.url), { keys: device.keys, grant: device.grant, access: device.access });
}

// One program for all tests, since its start costs as much as ten of the services that go on from its copies. The first test finds no
// player in it.
const opened = new AsyncDisposableStack();
let first: CopiedService;

beforeAll(async () => {
  if (isOnPostgres) return;
  const folder = opened.use(await temporaryFolder());
  first = opened.use(await CopiedService.start(folder.path));
});
afterAll(() => opened.disposeAsync());

test.skipIf(isOnPostgres)(
  "[AUD7] a pairing killed after any step is stored completely or not at all, and repeating it creates one player",
  async () => {
    const device = new Device(first.url);
    await device.askForCode();
    const claim = ["POST", "players/pair", { code: device.grant.user_code, name: "Screen" }, { "idempotency-key": "claim" }] as const;
    const seen: boolean[] = [];
    for (const state of await first.statesDuring(() => first.call(...claim), 201)) {
      await using service = await TestService.start(state);
      seen.push(await check(service));
    }
    // Some kills happen before the pairing is stored, some after. It is not lost after the response.
    expect(new Set(seen)).toEqual(new Set([true, false]));
    expect(seen.at(-1)).toBe(true);

    /** Whether the pairing was stored. Then the client repeats its request, as a real one does. */
    async function check(service: TestService): Promise<boolean> {
      const players = (await service.call("GET", "players?limit=100")).body.data;
      const isThere = players.length === 1;
      expect([0, 1]).toContain(players.length);
      if (isThere) expect(await actionsOn(service, players[0].id)).toEqual(["pairPlayer"]);
      const again = await service.call(...claim);
      expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, isThere ? "true" : null]);
      if (isThere) expect(again.body.id).toBe(players[0].id);
      expect((await service.call("GET", "players?limit=100")).body.data).toHaveLength(1);
      expect(await actionsOn(service, again.body.id)).toEqual(["pairPlayer"]);
      const restarted = moved(device, service);
      expect((await restarted.firstToken()).player_id).toBe(again.body.id);
      expect((await restarted.call("GET", "state")).status).toBe(200);
      return isThere;
    }
  },
);

test.skipIf(isOnPostgres)(
  "[AUD8] a command killed after any step is queued completely or not at all, and repeating it queues it once",
  async () => {
    const device = await first.pairedDevice();
    const commands = `players/${device.playerId}/commands`;
    const command = ["POST", commands, { type: "identify" }, { "idempotency-key": "command" }] as const;
    const seen: boolean[] = [];
    for (const state of await first.statesDuring(() => first.call(...command), 202)) {
      await using service = await TestService.start(state);
      seen.push(await check(service));
    }
    expect(new Set(seen)).toEqual(new Set([true, false]));
    expect(seen.at(-1)).toBe(true);

    async function check(service: TestService): Promise<boolean> {
      const list = async () => (await service.call("GET", `${commands}?limit=100`)).body.data;
      const isThere = (await list()).length === 1;
      expect([0, 1]).toContain((await list()).length);
      const again = await service.call(...command);
      expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([202, isThere ? "true" : null]);
      expect(await list()).toHaveLength(1);
      expect(await actionsOn(service, again.body.id)).toEqual(["sendCommand"]);
      // The command reaches the device once, signed.
      expect((await moved(device, service).call("POST", "heartbeat", heartbeat())).body.commands).toHaveLength(1);
      return isThere;
    }
  },
);

test.skipIf(isOnPostgres)(
  "[AUD9] a device whose connection breaks after any step of a token request or command report can retry and gets its response",
  async () => {
    for (const act of ["token", "result"] as const) {
      const device = await first.pairedDevice();
      const commands = `players/${device.playerId}/commands`;
      const { id } = (await first.call("POST", commands, { type: "identify" })).body;
      const states =
        act === "token"
          ? await first.statesDuring(() => device.askForToken(), 200)
          : await first.statesDuring(() => device.call("POST", `commands/${id}/status`, { status: "succeeded" }), 204);
      expect(states.length).toBeGreaterThan(1);
      for (const state of states) {
        await using service = await TestService.start(state);
        if (act === "token") await checkToken(service, device);
        else await checkResult(service, device, `${commands}/${id}`);
      }
    }

    async function checkToken(service: TestService, device: Device): Promise<void> {
      const restarted = moved(device, service);
      expect((await restarted.firstToken()).player_id).toBe(device.playerId);
      expect((await restarted.call("GET", "state")).status).toBe(200);
    }

    async function checkResult(service: TestService, device: Device, command: string): Promise<void> {
      const status = async () => (await service.call("GET", command)).body.status;
      expect(["queued", "succeeded"]).toContain(await status());
      const path = `commands/${command.split("/").at(-1)}/status`;
      expect((await moved(device, service).call("POST", path, { status: "succeeded" })).status).toBe(204);
      expect(await status()).toBe("succeeded");
    }
  },
);
