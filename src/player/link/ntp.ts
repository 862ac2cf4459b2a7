// Sets the clock by time servers while the service is unreachable. A client of SNTP (RFC 4330).
import { randomBytes } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import type { ClockSample } from "../../base/clock-sample.ts";
import type { CorrectedClock } from "../../base/clock.ts";
import { Fault, isAbort, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { hourMs, minuteMs } from "../../base/time.ts";

/** A time server. */
export interface NtpServer {
  host: string;
  port: number;
}

const packetBytes = 48;
// Version 4, mode client.
const request = 0x23;
const serverMode = 4;
const responseLimitMs = 3_000;
// The largest plausible root delay and dispersion of a server (RFC 4330, section 5, check 7).
const maxRootMs = 1_000;
const firstRoundMs = 5_000;
// The first polling interval of the reference implementation.
const roundMs = 64_000;
// The service comes first, since its players share its time. It sends its time twice a minute.
const silenceMs = 2 * minuteMs;
// How often the time of a service that responds is compared with that of the time servers.
const comparisonMs = hourMs;
// After a kiss-o'-death the client must stop using the server (RFC 4330, section 8).
const kissOfDeathMs = hourMs;

/**
 * Queries `server` once. The result includes the bound of the server's own error; local times are those of `clock.raw()`.
 * @throws Fault `timeout` without a valid response to this request within three seconds; `refused` after a
 * kiss-o'-death; `unreachable`.
 */
export async function queryNtp(server: NtpServer, clock: CorrectedClock, signal: AbortSignal): Promise<ClockSample> {
  const { address, family } = await lookup(server.host).catch((error: unknown) => {
    throw new Fault("unreachable", `${server.host}: ${reasonOf(error)}`, { cause: error });
  });
  signal.throwIfAborted();
  const socket = createSocket(family === 6 ? "udp6" : "udp4");
  const ended = new AbortController();
  try {
    // A connected socket receives packets from this address only.
    socket.connect(server.port, address);
    await once(socket, "connect", { signal });
    const end = AbortSignal.any([signal, ended.signal]);
    const timeout = async (): Promise<never> => {
      await clock.wait(responseLimitMs, end);
      throw new Fault("timeout", `${server.host} sent no valid response within ${responseLimitMs / 1_000} s`);
    };
    return await Promise.race([exchange(socket, server, clock, end), timeout()]);
  } catch (error) {
    if (isAbort(error) || error instanceof Fault) throw error;
    throw new Fault("unreachable", `${server.host}: ${reasonOf(error)}`, { cause: error });
  } finally {
    ended.abort();
    socket.close();
  }
}

async function exchange(socket: Socket, { host }: NtpServer, clock: CorrectedClock, signal: AbortSignal): Promise<ClockSample> {
  // A random number instead of our time: only a server that received the request can return it.
  const cookie = randomBytes(8);
  const packet = Buffer.alloc(packetBytes);
  packet[0] = request;
  cookie.copy(packet, 40);
  const done = new AbortController();
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      done.abort();
      reject(error);
    };
    if (signal.aborted) return fail(signal.reason);
    signal.addEventListener("abort", () => fail(signal.reason), { once: true, signal: done.signal });
    socket.once("error", fail);
    socket.on("message", (packetReceived) => {
      const t3 = clock.raw();
      const read = readResponse(packetReceived, cookie);
      if (read === null) return;
      if (read === "kiss-of-death") return fail(new Fault("refused", `${host} asks clients to stop sending requests`));
      done.abort();
      resolve({ t0, t1: read.received, t2: read.sent, t3, errorMs: read.rootMs, source: "time-server" });
    });
    const t0 = clock.raw();
    socket.send(packet);
  });
}

/** Null: ignore the packet, because it is not a response to this request or its server is not synchronized itself. */
function readResponse(response: Buffer, cookie: Buffer): { received: number; sent: number; rootMs: number } | "kiss-of-death" | null {
  if (response.length < packetBytes || !response.subarray(24, 32).equals(cookie)) return null;
  const isUnsynchronized = response[0]! >> 6 === 3;
  const stratum = response[1]!;
  if ((response[0]! & 7) !== serverMode) return null;
  if (stratum === 0) return /^(?:DENY|RSTR|RATE)$/.test(response.toString("latin1", 12, 16)) ? "kiss-of-death" : null;
  if (isUnsynchronized || stratum > 15) return null;
  const rootMs = (1_000 * (response.readInt32BE(4) / 2 + response.readUInt32BE(8))) / 65_536;
  const [received, sent] = [timeOf(response, 32), timeOf(response, 40)];
  if (received === null || sent === null || sent < received || rootMs < 0 || rootMs > maxRootMs) return null;
  return { received, sent, rootMs };
}

// NTP counts from 1900, Unix time from 1970. An NTP era has 2^32 seconds.
const unixEpochS = 2_208_988_800;
const eraS = 2 ** 32;

/** UTC ms; null: unknown. A time without the top bit is after February 2036 (RFC 4330, section 3). */
function timeOf(packet: Buffer, at: number): number | null {
  const seconds = packet.readUInt32BE(at);
  const fraction = packet.readUInt32BE(at + 4);
  if (seconds === 0 && fraction === 0) return null;
  return 1_000 * ((seconds >= 2 ** 31 ? seconds : seconds + eraS) - unixEpochS + fraction / eraS);
}

/**
 * Asks the time servers in order, until one responds: every hour, to compare the service's time with theirs, and every 64 seconds while
 * the service has been silent for two minutes or its time contradicts theirs. Then they set the clock. Runs until `signal` aborts.
 */
export async function followNtp(servers: readonly NtpServer[], clock: CorrectedClock, log: Log, signal: AbortSignal): Promise<never> {
  const avoidUntil = new Map<NtpServer, number>();
  // When the clock last learned from a time server. A later time in `clock.learnedAt` is that of the service.
  let learnedAt: number | null = null;
  let comparedAt = Number.NEGATIVE_INFINITY;
  await clock.wait(firstRoundMs, signal);
  for (;;) {
    const isSetByNtp = clock.learnedAt === learnedAt;
    const isServiceSilent = isSetByNtp || clock.monotonic() - clock.learnedAt! > silenceMs;
    const wasContradicted = clock.contradictionMs !== null;
    const isDue = isServiceSilent || wasContradicted || clock.monotonic() - comparedAt >= comparisonMs;
    if (isDue) comparedAt = clock.monotonic();
    for (const server of isDue ? servers : []) {
      if ((avoidUntil.get(server) ?? 0) > clock.monotonic()) continue;
      try {
        const sample = await queryNtp(server, clock, signal);
        if (!clock.compare(sample)) throw new Fault("protocol", "its time is earlier than the last one that the service proved");
        const { contradictionMs } = clock;
        if (contradictionMs !== null && !wasContradicted) {
          log.warn({ server: server.host, ahead_ms: Math.round(contradictionMs) }, "the service's time is wrong: using the time servers");
        }
        if (!isServiceSilent && contradictionMs === null) break;
        if (!clock.learn(sample)) throw new Fault("protocol", "its time is earlier than the last one that the service proved");
        if (learnedAt === null || !isSetByNtp) {
          log.info({ server: server.host, offset_ms: clock.offset.offsetMs }, "clock set by a time server");
        }
        ({ learnedAt } = clock);
        break;
      } catch (error) {
        if (isAbort(error) && signal.aborted) throw error;
        if (error instanceof Fault && error.code === "refused") avoidUntil.set(server, clock.monotonic() + kissOfDeathMs);
        log.warn({ server: server.host, reason: reasonOf(error) }, "a time server gave no time");
      }
    }
    await clock.wait(roundMs, signal);
  }
}
