// The players of the load: some with the real command path and journal, many that only hold a socket, all by way of the proxy.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SwarmCommand } from "../../../bench/swarm/child.ts";
import type { SwarmStats } from "../../../bench/swarm/player.ts";
import { Device } from "../../../test/service/harness.ts";
import { Api, type Program } from "../../../test/support/programs/programs.ts";
import { pairFolder, startDevice } from "../../soak/commands/paired-device.ts";

const childFile = fileURLToPath(new URL("../../../bench/swarm/child.ts", import.meta.url));
const handshakesAtOnce = 8;

/** What a swarm tells of its players. */
export type SwarmReport = SwarmStats & { hintCount: number; stateCount: number };

/** Many players that hold a socket, in a process of their own. */
export class Swarm implements AsyncDisposable {
  readonly size: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, size: number) {
    this.#child = child;
    this.size = size;
  }

  /** Connects players with these access tokens to `url`. */
  static async start(url: string, tokens: string[]): Promise<Swarm> {
    // A process group of its own, which Ctrl+C does not reach. It ends when this process does.
    const swarm = new Swarm(fork(childFile, { execArgv: [], detached: true }), tokens.length);
    await swarm.#send({ is: "open", url, tokens, atOnce: handshakesAtOnce });
    return swarm;
  }

  /** Connects further players, `atOnce` at a time; resolves when all are connected. They do not count for {@link size}. */
  async connect(url: string, tokens: string[], atOnce: number): Promise<void> {
    await this.#send({ is: "open", url, tokens, atOnce });
  }

  /** The counts so far. */
  counts(): Promise<SwarmReport> {
    return this.#send({ is: "count" });
  }

  /** The counts, and what has happened since the last call. */
  take(): Promise<SwarmReport> {
    return this.#send({ is: "take" });
  }

  /** Lets the players send heartbeats for `ms`, as fast as they are answered, `atOnce` at a time. */
  async beat(ms: number, atOnce: number): Promise<void> {
    await this.#send({ is: "beat", ms, atOnce });
  }

  async #send(command: SwarmCommand): Promise<SwarmReport> {
    const reply = once(this.#child, "message");
    this.#child.send(command);
    return ((await reply) as [SwarmReport])[0];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }
}

let addresses = 0;

/** Makes a request come from an address of its own, since all addresses of a service share its limits. The nodes trust this machine as a proxy. */
export function fromElsewhere(): Record<string, string> {
  addresses += 1;
  return { "x-forwarded-for": `198.18.${(addresses >> 8) & 255}.${addresses & 255}` };
}

/** Pairs `count` devices by the API. @returns their access tokens and the ids of their players. */
export async function pairDevices(url: string, token: string, count: number): Promise<{ token: string; playerId: string }[]> {
  const api = new Api(url, token);
  const paired: { token: string; playerId: string }[] = [];
  for (let place = 0; place < count; place += 1) {
    const device = new Device(url);
    const { user_code } = await device.askForCode(fromElsewhere());
    await api.ok("POST", "players/pair", { code: user_code, name: `Swarm ${place}` });
    const { access_token, player_id } = await device.firstToken();
    paired.push({ token: access_token, playerId: player_id });
  }
  return paired;
}

/** Players with the real connection, journal, outbox and command runner, each a process. */
export class CommandPlayers implements AsyncDisposable {
  readonly playerIds: readonly string[];
  readonly #effects: string;
  readonly #programs: readonly Program[];

  private constructor(playerIds: readonly string[], programs: readonly Program[], effects: string) {
    this.playerIds = playerIds;
    this.#programs = programs;
    this.#effects = effects;
  }

  static async start(url: string, token: string, folder: string, count: number): Promise<CommandPlayers> {
    const effects = join(folder, "effects.jsonl");
    const playerIds: string[] = [];
    const programs: Program[] = [];
    for (let place = 0; place < count; place += 1) {
      const home = join(folder, `device-${place + 1}`);
      playerIds.push(await pairFolder(new Api(url, token), home, `Device ${place + 1}`));
      programs.push(startDevice(`${url}/`, home, effects));
    }
    return new CommandPlayers(playerIds, programs, effects);
  }

  /** How often each command has begun on a device. */
  async begun(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    // Before the first command there is no file.
    const text = await readFile(this.#effects, "utf8").catch(() => "");
    for (const line of text.split("\n").filter((each) => each !== "")) {
      const { id } = JSON.parse(line) as { id: string };
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return counts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const program of this.#programs) await program.kill();
  }
}
