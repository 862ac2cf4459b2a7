// The time where no service gives it: a client of SNTP (RFC 4330) that asks one server once, and whoever asks in rounds.
import { randomBytes } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import type { ClockSample, CorrectedClock } from "../../base/clock.ts";
import { Fault, isAbort, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";

/** A time server. */
export interface NtpServer {
  host: string;
  port: number;
}

const packetBytes = 48;
// Version 4, mode client.
const request = 0x23;
const serverMode = 4;
const answerLimitMs = 3_000;
// What a sane server is away from its own reference at most (RFC 4330, section 5, check 7).
const worstRootMs = 1_000;
const firstRoundMs = 5_000;
// As often as the reference implementation asks a server that it does not know yet.
const roundMs = 64_000;
// The service's time comes first: its players go by it. A heartbeat comes twice a minute.
const silenceMs = 120_000;
// RFC 4330, section 8: a server that sends a kiss of death is left alone.
const leftAloneMs = 3_600_000;

/**
 * Asks `server` once and gives the exchange, with the bound of the server's own error. Local ends by `clock.raw()`.
 * @throws Fault `timeout` when no answer that can be believed comes within three seconds: one that is not to this
 * request is as none. `refused` when the server wants to be left alone; `unreachable` when there is no way to it.
 */
export async function queryNtp(server: NtpServer, clock: CorrectedClock, signal: AbortSignal): Promise<ClockSample> {
  const { address, family } = await lookup(server.host).catch((error: unknown) => {
    throw new Fault("unreachable", `${server.host}: ${reasonOf(error)}`, { cause: error });
  });
  signal.throwIfAborted();
  const socket = createSocket(family === 6 ? "udp6" : "udp4");
  const ended = new AbortController();
  try {
    // Connected, it hears from that address alone.
    socket.connect(server.port, address);
    await once(socket, "connect", { signal });
    const end = AbortSignal.any([signal, ended.signal]);
    const late = async (): Promise<never> => {
      await clock.wait(answerLimitMs, end);
      throw new Fault("timeout", `${server.host} gave no time that can be believed within ${answerLimitMs / 1_000} s`);
    };
    return await Promise.race([exchange(socket, server, clock, end), late()]);
  } catch (error) {
    if (isAbort(error) || error instanceof Fault) throw error;
    throw new Fault("unreachable", `${server.host}: ${reasonOf(error)}`, { cause: error });
  } finally {
    ended.abort();
    socket.close();
  }
}

async function exchange(socket: Socket, { host }: NtpServer, clock: CorrectedClock, signal: AbortSignal): Promise<ClockSample> {
  // A number that nobody can guess stands for our time: who answers with it has read the request.
  const cookie = randomBytes(8);
  const packet = Buffer.alloc(packetBytes);
  packet[0] = request;
  cookie.copy(packet, 40);
  const answers = new AbortController();
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      answers.abort();
      reject(error);
    };
    signal.addEventListener("abort", () => fail(signal.reason), { once: true, signal: answers.signal });
    socket.once("error", fail);
    socket.on("message", (answer) => {
      const t3 = clock.raw();
      const read = readAnswer(answer, cookie);
      if (read === null) return;
      if (read === "leave-alone") return fail(new Fault("refused", `${host} asks to be left alone`));
      answers.abort();
      resolve({ t0, t1: read.received, t2: read.sent, t3, errorMs: read.rootMs });
    });
    const t0 = clock.raw();
    socket.send(packet);
  });
}

/** Null for what is to be ignored: not an answer to this request, or of a server that does not know the time itself. */
function readAnswer(answer: Buffer, cookie: Buffer): { received: number; sent: number; rootMs: number } | "leave-alone" | null {
  if (answer.length < packetBytes || !answer.subarray(24, 32).equals(cookie)) return null;
  const isUnsynchronised = answer[0]! >> 6 === 3;
  const stratum = answer[1]!;
  if ((answer[0]! & 7) !== serverMode) return null;
  if (stratum === 0) return /^(?:DENY|RSTR|RATE)$/.test(answer.toString("latin1", 12, 16)) ? "leave-alone" : null;
  if (isUnsynchronised || stratum > 15) return null;
  const rootMs = (1_000 * (answer.readInt32BE(4) / 2 + answer.readUInt32BE(8))) / 65_536;
  const [received, sent] = [timeOf(answer, 32), timeOf(answer, 40)];
  if (received === null || sent === null || sent < received || rootMs < 0 || rootMs > worstRootMs) return null;
  return { received, sent, rootMs };
}

// 1900 to 1970, and an era of 2^32 seconds.
const unixEpochS = 2_208_988_800;
const eraS = 2 ** 32;

/** UTC ms; null for "unknown". A time without the top bit is after February 2036 (RFC 4330, section 3). */
function timeOf(packet: Buffer, at: number): number | null {
  const seconds = packet.readUInt32BE(at);
  const fraction = packet.readUInt32BE(at + 4);
  if (seconds === 0 && fraction === 0) return null;
  return 1_000 * ((seconds >= 2 ** 31 ? seconds : seconds + eraS) - unixEpochS + fraction / eraS);
}

/** Sets the clock right whenever the service has been silent for two minutes, by the first server that answers. Until `signal` aborts. */
export async function followNtp(servers: readonly NtpServer[], clock: CorrectedClock, log: Log, signal: AbortSignal): Promise<never> {
  const leftAlone = new Map<NtpServer, number>();
  // When the clock last learned from a time server: what it learned since, it did from the service.
  let learnedAt: number | null = null;
  await clock.wait(firstRoundMs, signal);
  for (;;) {
    const isFollowing = clock.learnedAt === learnedAt;
    const isNeeded = isFollowing || clock.monotonic() - clock.learnedAt! > silenceMs;
    for (const server of isNeeded ? servers : []) {
      if ((leftAlone.get(server) ?? 0) > clock.monotonic()) continue;
      try {
        clock.learn(await queryNtp(server, clock, signal));
        if (learnedAt === null || !isFollowing) {
          log.info({ server: server.host, offset_ms: clock.offset.offsetMs }, "the time is that of a time server");
        }
        ({ learnedAt } = clock);
        break;
      } catch (error) {
        if (isAbort(error) && signal.aborted) throw error;
        if (error instanceof Fault && error.code === "refused") leftAlone.set(server, clock.monotonic() + leftAloneMs);
        log.warn({ server: server.host, reason: reasonOf(error) }, "a time server was of no use");
      }
    }
    await clock.wait(roundMs, signal);
  }
}
