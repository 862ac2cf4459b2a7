// Starts the real programs, each in its own process, and reads their logs.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { rootFolder } from "../../../src/main/folders.ts";
import { waitUntil } from "../polling.ts";

/** A line of a program's log. */
export type Line = Record<string, unknown> & { msg: string };

/** A running program in its own process group. Disposing stops it. */
export class Program implements AsyncDisposable {
  readonly lines: Line[] = [];
  /** All its output, for messages of failed tests. */
  output = "";
  readonly #process: ChildProcess;
  readonly #exited: Promise<[number | null, string | null]>;
  #listeners = new Set<() => void>();

  /** @param executable Node by default. */
  constructor(argv: readonly string[], env: Record<string, string> = {}, executable = process.execPath) {
    const environment: NodeJS.ProcessEnv = { ...process.env, ...env };
    if (!("DISPLAY" in env)) delete environment["DISPLAY"];
    delete environment["WAYLAND_DISPLAY"];
    this.#process = spawn(executable, argv, { cwd: rootFolder, env: environment, stdio: ["ignore", "pipe", "pipe"], detached: true });
    this.#exited = once(this.#process, "exit") as Promise<[number | null, string | null]>;
    this.#process.stderr!.on("data", (text: Buffer) => (this.output += text.toString()));
    createInterface({ input: this.#process.stdout! }).on("line", (text) => {
      this.output += `${text}\n`;
      if (text.startsWith("{")) this.lines.push(JSON.parse(text) as Line);
      for (const listener of this.#listeners) listener();
    });
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /** The exit code; null when a signal ended it. */
  get exitCode(): Promise<number | null> {
    return this.#exited.then(([code]) => code);
  }

  /** The first line of the log that `matches`, from index `from` on; rejects when the program ends without it. */
  line(matches: string | ((line: Line) => boolean), from = 0): Promise<Line> {
    const test = typeof matches === "string" ? (line: Line) => line.msg === matches : matches;
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const found = this.lines.slice(from).find(test);
        if (found === undefined) return;
        this.#listeners.delete(check);
        resolve(found);
      };
      this.#listeners.add(check);
      void this.#exited.then(() => reject(new Error(`the program ended without “${String(matches)}”:\n${this.output.slice(-4_000)}`)));
      check();
    });
  }

  /** Kills it, as a power cut would. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#exited;
  }

  /** Stops it by Ctrl+C or another signal; resolves to the exit code. */
  async stop(signal: NodeJS.Signals = "SIGINT"): Promise<number | null> {
    this.#process.kill(signal);
    return this.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      this.#process.kill("SIGTERM");
      await this.#exited;
    }
  }
}

/** Starts a service on a free port, with a client that uses its first token. */
export async function startService(folder: string, ...flags: string[]): Promise<{ program: Program; api: Api } & AsyncDisposable> {
  // Tests poll every few milliseconds.
  const limits = ["--requests-per-minute", "1000000"];
  const program = new Program(["src/main/cli.ts", "serve", "--port", "0", "--data", folder, ...limits, ...flags]);
  const { url } = await program.line("listening");
  const token = (await readFile(join(folder, "admin-token"), "utf8")).trim();
  return { program, api: new Api(String(url), token), [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
}

// The web servers of tests run on this machine.
const sites = "127.0.0.7:*,127.0.0.8:*,127.0.0.9:*";

/** Starts a player, in a window on `display` or else headless. */
export function startPlayer(
  server: string,
  folder: string,
  display?: string,
  more: readonly string[] = [],
  env: Record<string, string> = {},
): Program {
  const screen = display === undefined ? ["--headless"] : [];
  const flags = ["start", "--server", server, "--data", folder, "--engine", "chromium", "--allow-local", sites, ...screen, ...more];
  return new Program(["src/main/cli.ts", ...flags], display === undefined ? env : { ...env, DISPLAY: display });
}

type Json = Record<string, unknown>;

/** A client of the operator's API. */
export class Api {
  readonly url: string;
  readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  async call(method: string, path: string, body?: Json | Buffer): Promise<Response> {
    const raw = Buffer.isBuffer(body);
    return fetch(`${this.url}/api/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { "content-type": raw ? "application/octet-stream" : "application/json" }),
      },
      ...(body === undefined ? {} : { body: raw ? new Uint8Array(body) : JSON.stringify(body) }),
    });
  }

  /** The response's JSON; rejects if the request fails. */
  async ok(method: string, path: string, body?: Json | Buffer): Promise<Json & { id: string }> {
    const response = await this.call(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === "" ? {} : JSON.parse(text)) as Json & { id: string };
  }

  async upload(name: string, bytes: Buffer): Promise<string> {
    return (await this.ok("POST", `assets?name=${name}`, bytes)).id;
  }

  /** A full-screen layout of one zone that loops `items`. */
  async publish(items: Json[]): Promise<{ playlistId: string; layoutId: string }> {
    const playlist = await this.ok("POST", "playlists", { name: "loop", items });
    const zones = [{ name: "main", left: 0, top: 0, width: 1920, height: 1080, z_index: 0, playlist_id: playlist.id }];
    const layout = await this.ok("POST", "layouts", { name: "full", width: 1920, height: 1080, background_color: "#000000", zones });
    return { playlistId: playlist.id, layoutId: layout.id };
  }

  /** Pairs the player that shows `code` and gives it a layout. */
  async pair(player: Program, layoutId?: string): Promise<string> {
    const { code } = await player.line("pairing code");
    const { id } = await this.ok("POST", "players/pair", { code: String(code), name: "Lobby" });
    if (layoutId !== undefined) await this.ok("PATCH", `players/${id}`, { layout_id: layoutId });
    return id;
  }

  /** Sends a command and waits for its end. */
  async command(playerId: string, type: string, args: Json = {}): Promise<Json> {
    const { id } = await this.ok("POST", `players/${playerId}/commands`, { type, args });
    const ends = ["succeeded", "failed", "rejected", "expired", "cancelled"];
    let command: Json = {};
    const hasEnded = async (): Promise<boolean> => {
      command = await this.ok("GET", `players/${playerId}/commands/${String(id)}`);
      return ends.includes(String(command["status"]));
    };
    // A command that nobody executes expires after ten minutes.
    await waitUntil(`the command ${type} has ended`, hasEnded, 700_000);
    return command;
  }
}
