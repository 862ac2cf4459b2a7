// The doors for WebSockets on one HTTP server, and how those behind them are sent home.
import { STATUS_CODES, type IncomingMessage, type Server as HttpServer } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "../base/clock.ts";
import { isAbort, reasonOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";

/** An address that takes WebSockets. */
export interface UpgradeDoor {
  readonly path: string;
  /** The HTTP status that refuses an upgrade, null to take it. */
  judge(request: IncomingMessage): number | null;
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Leads the upgrades of `server` to their doors. */
export function addUpgrades(server: HttpServer, doors: readonly UpgradeDoor[], log: Log): void {
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", (error) => log.debug({ reason: reasonOf(error) }, "an upgrade failed"));
    const door = doors.find(({ path }) => request.url?.split("?")[0] === path);
    const status = door === undefined ? 404 : door.judge(request);
    if (door !== undefined && status === null) door.take(request, socket, head);
    else socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status!]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
}

/** A socket that was told to go. */
interface Guest {
  /** Aborts when it has closed. */
  readonly ended: AbortSignal;
  terminate(): void;
}

/** Gives those who were told to go `limitMs` to say goodbye, then ends them. */
export async function farewell(guests: readonly Guest[], clock: Clock, limitMs: number): Promise<void> {
  if (guests.some(({ ended }) => !ended.aborted)) {
    const all = Promise.all(guests.map(({ ended }) => aborted(ended)));
    const given = new AbortController();
    await Promise.race([all, clock.wait(limitMs, given.signal).catch(ignoreAbort)]);
    given.abort();
  }
  for (const guest of guests) guest.terminate();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function ignoreAbort(error: unknown): void {
  if (!isAbort(error)) throw error;
}
