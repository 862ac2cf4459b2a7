// The door for sensors and buttons beside the screen: sets variables over a Unix socket in the data folder, and nothing else.
import { once } from "node:events";
import { chmod, mkdir, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { ulid } from "../../base/ulid.ts";
import { VariablesSetArgs } from "../../protocol/device/play-commands.ts";
import type { Variables } from "../../protocol/scheduling/variables.ts";

/** What a trigger does it to: a paired player. */
export interface TriggerTarget {
  readonly variables: Variables;
  /** Resolves once it would survive a power cut. @throws Fault `unsupported` when more would be set than are kept. */
  setVariables(id: string, args: VariablesSetArgs): Promise<{ until: string | null }>;
}

export interface TriggerDependencies {
  /** The player's data folder: the socket is `triggers/socket` in it. */
  folder: string;
  /** Null while the player is not paired. */
  player: () => TriggerTarget | null;
  clock: Clock;
  log: Log;
}

type Answer = { status: number; body: Record<string, unknown>; headers?: Record<string, string> };

const longestBodyBytes = 65_536;
const maxConnections = 16;
const bodyLimitMs = 5_000;
// Each setting is written to the disk: sensors that shake must not wear it out.
const burst = 20;
const perSecond = 10;

/**
 * Serves `GET` and `POST /variables` until `signal` aborts (rejects with AbortError). The file system is the lock: only the
 * player's own user reaches the socket, and no page can open it. Where it cannot be opened the player goes on without.
 */
export async function serveTriggers(parts: TriggerDependencies, signal: AbortSignal): Promise<never> {
  const { folder, clock, log } = parts;
  const path = join(folder, "triggers", "socket");
  const tokens = new Tokens(clock);
  const server = createServer({ requestTimeout: bodyLimitMs, headersTimeout: bodyLimitMs }, (request, response) => {
    void answer(parts, tokens, request).then(
      (given) => send(response, given),
      (error: unknown) => {
        if (request.errored !== null) return log.debug({ reason: reasonOf(error) }, "a trigger broke off");
        log.error({ err: error }, "a trigger could not be taken");
        return send(response, problem(500, "it could not be written down: the player's log says why"));
      },
    );
  });
  server.maxConnections = maxConnections;
  try {
    await mkdir(join(folder, "triggers"), { recursive: true, mode: 0o700 });
    await chmod(join(folder, "triggers"), 0o700);
    // Left over from a run that was killed: the folder's lock says that nobody listens on it.
    await rm(path, { force: true });
    server.listen(path);
    await once(server, "listening");
    log.info({ path }, "triggers are heard");
  } catch (error) {
    log.error({ path, reason: reasonOf(error) }, "triggers cannot be heard");
  }
  try {
    await clock.wait(Number.POSITIVE_INFINITY, signal);
    throw new Error("an endless wait has ended");
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function answer({ player, clock, log }: TriggerDependencies, tokens: Tokens, request: IncomingMessage): Promise<Answer> {
  if (request.url !== "/variables") return problem(404, "there is only /variables");
  const triggered = player();
  if (triggered === null) return problem(503, "the player is not paired yet");
  if (request.method === "GET") return { status: 200, body: { variables: triggered.variables } };
  if (request.method !== "POST") return { ...problem(405, "GET or POST"), headers: { allow: "GET, POST" } };
  if (!tokens.take()) return { ...problem(429, `at most ${perSecond} in a second`), headers: { "retry-after": "1" } };
  const text = await read(request);
  if (text === null) return problem(413, `at most ${longestBodyBytes} bytes`);
  const args = VariablesSetArgs.safeParse(jsonOf(text));
  if (!args.success) {
    return problem(
      422,
      args.error.issues
        .map(({ path, message }) => `/${path.join("/")}: ${message}`)
        .join("; ")
        .slice(0, 2_000),
    );
  }
  try {
    const { until } = await triggered.setVariables(`trg_${ulid(clock.now())}`, args.data);
    log.info({ names: Object.keys(args.data.variables), until }, "set by a trigger");
    return { status: 200, body: { until, variables: triggered.variables } };
  } catch (error) {
    if (!isFault(error, "unsupported")) throw error;
    return problem(422, error.message);
  }
}

function problem(status: number, detail: string): Answer {
  return { status, body: { status, detail } };
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  // What was not read of a request must not be taken for the next one.
  const isRefused = status >= 400;
  response.writeHead(status, { ...headers, "content-type": "application/json", ...(isRefused ? { connection: "close" } : {}) });
  response.end(`${JSON.stringify(body)}\n`);
}

/** The body; null when it is too long. It is then read to its end all the same, and forgotten: else no answer would get through. */
async function read(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= longestBodyBytes) chunks.push(chunk);
  }
  return bytes > longestBodyBytes ? null : Buffer.concat(chunks).toString();
}

/** Undefined, which no schema takes, for what is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A bucket that fills again with time. */
class Tokens {
  readonly #clock: Clock;
  #left = burst;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  take(): boolean {
    const now = this.#clock.monotonic();
    this.#left = Math.min(burst, this.#left + ((now - this.#at) / 1_000) * perSecond);
    this.#at = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
