// The real program, killed with SIGKILL after each SQL statement of a pairing and of a command: the state after the restart.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AuditEntry } from "../../../src/protocol/operator/people.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Program } from "../../support/programs/programs.ts";
import { call, Device, heartbeat, type ApiResponse } from "../harness.ts";

const patience = 300_000;
const preload = new URL("../../support/programs/kill-after.ts", import.meta.url).href;

/** A service that kills itself after a number of SQL statements, once it is armed. */
class Doomed implements AsyncDisposable {
  readonly program: Program;
  readonly url: string;
  readonly #token: string;

  private constructor(program: Program, url: string, token: string) {
    this.program = program;
    this.url = url;
    this.#token = token;
  }

  static async start(folder: string, statements: number): Promise<Doomed> {
    const env = { NODE_OPTIONS: `--import=${preload}`, KILL_AFTER: String(statements) };
    const program = new Program(["src/main/cli.ts", "serve", "--port", "0", "--data", folder], env);
    const url = String((await program.line("listening"))["url"]);
    return new Doomed(program, url, (await readFile(join(folder, "admin-token"), "utf8")).trim());
  }

  async arm(): Promise<void> {
    process.kill(this.program.pid, "SIGUSR2");
    await this.program.line("armed");
  }

  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return call(this.url, method, path, body, { authorization: `Bearer ${this.#token}`, ...headers });
  }

  /** The audit log's actions on `resource`. Checks the hash chain too. */
  async actionsOn(resource: string): Promise<string[]> {
    expect((await this.call("GET", "audit/verify")).body.holds).toBe(true);
    return (await this.call("GET", `audit?resource_id=${resource}`)).body.data.map(({ action }: AuditEntry) => action);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.program[Symbol.asyncDispose]();
  }
}

/** The result of an attempt; null if the kill interrupted it. */
const cutOff = (asked: Promise<ApiResponse>): Promise<ApiResponse | null> => asked.catch(() => null);

test(
  "[AUD7] a pairing killed after any step is stored completely or not at all, and repeating it creates one player",
  { timeout: patience },
  async () => {
    await using folder = await temporaryFolder();
    let isAnswered = false;
    const seen: boolean[] = [];
    let last: { device: Device; key: Record<string, string>; before: number } | null = null;
    for (let statements = 1; !isAnswered; statements += 1) {
      await using service = await Doomed.start(folder.path, statements);
      if (last !== null) seen.push(await check(service, last));
      const device = new Device(service.url);
      await device.askForCode();
      const key = { "idempotency-key": `claim-${statements}` };
      last = { device, key, before: (await service.call("GET", "players?limit=100")).body.data.length };
      await service.arm();
      const response = await cutOff(service.call("POST", "players/pair", { code: device.grant.user_code, name: "Screen" }, key));
      isAnswered = response !== null;
      if (isAnswered) expect(response!.status).toBe(201);
      else expect(await service.program.exitCode).toBeNull();
    }
    await using service = await Doomed.start(folder.path, 1);
    expect(await check(service, last!)).toBe(true);
    // Some kills happened before the pairing was stored, some after.
    expect(seen.length).toBeGreaterThan(8);
    expect(new Set(seen)).toEqual(new Set([true, false]));

    /** Whether the pairing was stored. Then the client repeats its request, as a real one does. */
    async function check(service: Doomed, { device, key, before }: NonNullable<typeof last>): Promise<boolean> {
      const players = (await service.call("GET", "players?limit=100")).body.data;
      const isThere = players.length === before + 1;
      expect([before, before + 1]).toContain(players.length);
      if (isThere) expect(await service.actionsOn(players[0].id)).toEqual(["pairPlayer"]);
      const again = await service.call("POST", "players/pair", { code: device.grant.user_code, name: "Screen" }, key);
      expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([201, isThere ? "true" : null]);
      if (isThere) expect(again.body.id).toBe(players[0].id);
      expect((await service.call("GET", "players?limit=100")).body.data).toHaveLength(before + 1);
      expect(await service.actionsOn(again.body.id)).toEqual(["pairPlayer"]);
      const restarted = Object.assign(new Device(service.url), { keys: device.keys, grant: device.grant });
      expect((await restarted.firstToken()).player_id).toBe(again.body.id);
      expect((await restarted.call("GET", "state")).status).toBe(200);
      return isThere;
    }
  },
);

test(
  "[AUD8] a command killed after any step is queued completely or not at all, and repeating it queues it once",
  { timeout: patience },
  async () => {
    await using folder = await temporaryFolder();
    const device = new Device("");
    {
      await using service = await Doomed.start(folder.path, 1);
      const paired = Object.assign(new Device(service.url), { keys: device.keys });
      await paired.askForCode();
      await service.call("POST", "players/pair", { code: paired.grant.user_code, name: "Screen" });
      device.access = await paired.firstToken();
    }
    const commands = `players/${device.playerId}/commands`;
    let isAnswered = false;
    let last: { key: Record<string, string>; before: number } | null = null;
    const seen: boolean[] = [];
    for (let statements = 1; !isAnswered; statements += 1) {
      await using service = await Doomed.start(folder.path, statements);
      if (last !== null) seen.push(await check(service, last));
      const key = { "idempotency-key": `command-${statements}` };
      last = { key, before: (await service.call("GET", `${commands}?limit=100`)).body.data.length };
      await service.arm();
      const response = await cutOff(service.call("POST", commands, { type: "identify" }, key));
      isAnswered = response !== null;
      if (isAnswered) expect(response!.status).toBe(202);
      else expect(await service.program.exitCode).toBeNull();
    }
    await using service = await Doomed.start(folder.path, 1);
    expect(await check(service, last!)).toBe(true);
    expect(seen.length).toBeGreaterThan(8);
    expect(new Set(seen)).toEqual(new Set([true, false]));
    // Each command reaches the device once, signed.
    const total = (await service.call("GET", `${commands}?limit=100`)).body.data.length;
    const here = Object.assign(new Device(service.url), { keys: device.keys, access: device.access });
    const pending = (await here.call("POST", "heartbeat", heartbeat())).body.commands as string[];
    expect([pending.length, new Set(pending).size]).toEqual([total, total]);

    async function check(service: Doomed, { key, before }: NonNullable<typeof last>): Promise<boolean> {
      const list = async () => (await service.call("GET", `${commands}?limit=100`)).body.data;
      const isThere = (await list()).length === before + 1;
      expect([before, before + 1]).toContain((await list()).length);
      const again = await service.call("POST", commands, { type: "identify" }, key);
      expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([202, isThere ? "true" : null]);
      expect(await list()).toHaveLength(before + 1);
      expect(await service.actionsOn(again.body.id)).toEqual(["sendCommand"]);
      return isThere;
    }
  },
);

test(
  "[AUD9] a device that is cut off after any step of a token request or a command result retries successfully",
  { timeout: patience },
  async () => {
    await using folder = await temporaryFolder();
    const device = new Device("");
    const at = (service: Doomed) =>
      Object.assign(new Device(service.url), { keys: device.keys, grant: device.grant, access: device.access });
    {
      await using service = await Doomed.start(folder.path, 1);
      const box = at(service);
      device.grant = await box.askForCode();
      await service.call("POST", "players/pair", { code: device.grant.user_code, name: "Screen" });
      device.access = await at(service).firstToken();
    }
    const commands = `players/${device.playerId}/commands`;
    const cuts = { token: 0, word: 0 };
    const isThrough = { token: false, word: false };
    // The next start checks the state that the kill left.
    let check: (service: Doomed) => Promise<void> = async () => undefined;
    for (let statements = 1; !(isThrough.token && isThrough.word); statements += 1) {
      // Alternate both requests, each until it succeeds.
      for (const act of ["token", "word"] as const) {
        if (isThrough[act]) continue;
        await using service = await Doomed.start(folder.path, statements);
        await check(service);
        const { id } = (await service.call("POST", commands, { type: "identify" })).body;
        const box = at(service);
        await service.arm();
        const asked = act === "token" ? box.askForToken() : box.call("POST", `commands/${id}/status`, { status: "succeeded" });
        const response = await cutOff(asked);
        if (response === null) cuts[act] += 1;
        else {
          expect(response.status).toBe(act === "token" ? 200 : 204);
          isThrough[act] = true;
        }
        check = (next) => (act === "token" ? checkToken(next) : checkWord(next, id));
      }
    }
    await using service = await Doomed.start(folder.path, 1);
    await check(service);
    expect(cuts.token).toBeGreaterThan(2);
    expect(cuts.word).toBeGreaterThan(2);

    async function checkToken(next: Doomed): Promise<void> {
      const again = await at(next).firstToken();
      expect(again.player_id).toBe(device.playerId);
      expect((await Object.assign(at(next), { access: again }).call("GET", "state")).status).toBe(200);
    }

    async function checkWord(next: Doomed, id: string): Promise<void> {
      const status = async () => (await next.call("GET", `${commands}/${id}`)).body.status;
      expect(["queued", "succeeded"]).toContain(await status());
      expect((await at(next).call("POST", `commands/${id}/status`, { status: "succeeded" })).status).toBe(204);
      expect(await status()).toBe("succeeded");
    }
  },
);
