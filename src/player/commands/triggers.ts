// The local interface for sensors and buttons: sets variables over HTTP on a Unix socket in the data folder, and does nothing else.
import { once } from "node:events";
import { chmod, mkdir, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { isFault, reasonOf } from "../../base/fault.ts";
import { createLoopbackServer } from "../../base/http/loopback-server.ts";
import type { Log } from "../../base/log.ts";
import { ulid } from "../../base/ulid.ts";
import { VariablesSetArgs } from "../../protocol/device/play-commands.ts";
import { describeRefusals } from "../../protocol/refusal.ts";
import type { Variables } from "../../protocol/scheduling/variables.ts";
import { TokenBucket } from "../../base/token-bucket.ts";

/** The paired player whose variables triggers set. */
export interface TriggerTarget {
  variables(): Variables;
  /** Resolves once the variables are durable. @throws Fault `unsupported` if there would be more than the player keeps. */
  setVariables(id: string, args: VariablesSetArgs): Promise<{ until: string | null }>;
}

export interface TriggerDependencies {
  /** The player's data folder. The socket is `triggers/socket` in it. */
  folder: string;
  /** Null while the player is not paired. */
  player: () => TriggerTarget | null;
  clock: Clock;
  log: Log;
}

type Response = { status: number; body: Record<string, unknown>; headers?: Record<string, string> };

const maxBodyBytes = 65_536;
const maxConnections = 16;
// Each change is written to the disk. A shaking sensor must not wear it out.
const burst = 20;
const perSecond = 10;

/**
 * Serves `GET` and `POST /variables` until `signal` aborts (rejects with AbortError). File permissions protect the socket:
 * only the player's own user can open it, and no web page can. If the socket cannot be opened, the player runs without it.
 */
export async function serveTriggers(dependencies: TriggerDependencies, signal: AbortSignal): Promise<never> {
  const { folder, clock, log } = dependencies;
  const path = join(folder, "triggers", "socket");
  const bucket = new TokenBucket({ burst, perSecond }, clock);
  const server = createLoopbackServer((request, response) => {
    void handle(dependencies, bucket, request).then(
      (result) => send(response, result),
      (error: unknown) => {
        if (request.errored !== null) return log.debug({ reason: reasonOf(error) }, "a trigger closed its connection early");
        log.error({ err: error }, "a trigger failed");
        return send(response, problem(500, "the variables could not be stored: the screen's log says why"));
      },
    );
  });
  server.maxConnections = maxConnections;
  try {
    await mkdir(join(folder, "triggers"), { recursive: true, mode: 0o700 });
    await chmod(join(folder, "triggers"), 0o700);
    // A killed run leaves the socket behind. The folder's lock ensures that no other player listens on it.
    await rm(path, { force: true });
    server.listen(path);
    await once(server, "listening");
    log.info({ path }, "listening for triggers");
  } catch (error) {
    log.error({ path, reason: reasonOf(error) }, "cannot listen for triggers");
  }
  try {
    await clock.wait(Number.POSITIVE_INFINITY, signal);
    throw new Error("an endless wait has ended");
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function handle({ player, clock, log }: TriggerDependencies, bucket: TokenBucket, request: IncomingMessage): Promise<Response> {
  if (request.url !== "/variables") return problem(404, "the only path is /variables");
  const target = player();
  if (target === null) return problem(503, "the screen is not paired yet");
  if (request.method === "GET") return { status: 200, body: { variables: target.variables() } };
  if (request.method !== "POST") return { ...problem(405, "use GET or POST"), headers: { allow: "GET, POST" } };
  if (!bucket.take()) return { ...problem(429, `at most ${perSecond} requests per second`), headers: { "retry-after": "1" } };
  const text = await readBody(request);
  if (text === null) return problem(413, `at most ${maxBodyBytes} bytes`);
  const args = VariablesSetArgs.safeParse(parseJson(text));
  if (!args.success) return problem(422, describeRefusals(args.error));
  try {
    const { until } = await target.setVariables(`trg_${ulid(clock.now())}`, args.data);
    log.info({ names: Object.keys(args.data.variables), until }, "a trigger set variables");
    return { status: 200, body: { until, variables: target.variables() } };
  } catch (error) {
    if (!isFault(error, "unsupported")) throw error;
    return problem(422, error.message);
  }
}

function problem(status: number, detail: string): Response {
  return { status, body: { status, detail } };
}

function send(response: ServerResponse, { status, body, headers = {} }: Response): void {
  // The rest of a rejected request must not be read as the next request.
  const isRejected = status >= 400;
  response.writeHead(status, { ...headers, "content-type": "application/json", ...(isRejected ? { connection: "close" } : {}) });
  response.end(`${JSON.stringify(body)}\n`);
}

/** The body; null if it is too long. Even then it is read to its end, because the sender would not get the response otherwise. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  }
  return bytes > maxBodyBytes ? null : Buffer.concat(chunks).toString();
}

/** Undefined, which no schema accepts, if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
