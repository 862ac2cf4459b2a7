// The checks of a diagnosis on the machine itself: its clock and its disk.
import { randomBytes } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CorrectedClock } from "../../base/clock.ts";
import { reasonOf } from "../../base/fault.ts";
import { type NtpServer, queryNtp } from "../link/ntp.ts";
import { megabytes, readDiskSpace } from "../storage/disk-space.ts";
import { type Check, failed, type Finding, ok, warning } from "./checks.ts";

export interface MachineChecksDependencies {
  clock: CorrectedClock;
  ntp: readonly NtpServer[];
  /** The player's data folder. */
  folder: string;
}

const limitMs = 10_000;
const maxOffsetMs = 5_000;
const maxErrorMs = 1_000;
const probeBytes = 1_048_576;
// A good card takes a tenth of it.
const slowDiskMs = 3_000;
const maxTimeServers = 3;

export function machineChecks({ clock, ntp, folder }: MachineChecksDependencies): readonly Check[] {
  return [
    { name: "clock", limitMs, run: (signal) => checkClock(clock, ntp, signal) },
    { name: "disk", limitMs, run: () => checkDisk(folder, clock) },
  ];
}

async function checkClock(clock: CorrectedClock, ntp: readonly NtpServer[], signal: AbortSignal): Promise<Finding> {
  const { offsetMs, errorMs } = clock.offset;
  const servers = await Promise.all(ntp.slice(0, maxTimeServers).map((server) => askTimeServer(server, clock, signal)));
  const others = servers.length === 0 ? "no time server is set" : servers.join("; ");
  const machine = `the machine's clock says ${new Date(clock.raw()).toISOString()}`;
  if (clock.learnedAt === null) return warning(`the time of the service is not known yet; ${machine}; ${others}`);
  const text = `${machine}, corrected by ${Math.round(offsetMs)} ms ± ${Math.round(errorMs)} ms; ${others}`;
  return Math.abs(offsetMs) > maxOffsetMs || errorMs > maxErrorMs ? warning(text) : ok(text);
}

async function askTimeServer(server: NtpServer, clock: CorrectedClock, signal: AbortSignal): Promise<string> {
  try {
    const { t0, t1, t2, t3 } = await queryNtp(server, clock, signal);
    return `${server.host}: ${Math.round((t1 - t0 + t2 - t3) / 2)} ms from the machine's clock`;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Writes, syncs and reads a megabyte in the data folder. */
async function checkDisk(folder: string, clock: CorrectedClock): Promise<Finding> {
  const { freeBytes, reserveBytes } = await readDiskSpace(folder);
  const path = join(folder, "diagnosis-probe");
  const bytes = randomBytes(probeBytes);
  try {
    const startedAt = clock.monotonic();
    await using file = await open(path, "w+", 0o600);
    await file.write(bytes);
    await file.sync();
    const writtenAt = clock.monotonic();
    const { buffer } = await file.read(Buffer.alloc(probeBytes), 0, probeBytes, 0);
    const readAt = clock.monotonic();
    if (!buffer.equals(bytes)) return failed("the disk returned other bytes than were written to it");
    const [writeMs, readMs] = [writtenAt - startedAt, readAt - writtenAt].map(Math.round) as [number, number];
    const free = Number.isFinite(freeBytes) ? `${megabytes(freeBytes)} are free` : "it does not say how much is free";
    const text = `${free}; 1 MB was written and synced in ${writeMs} ms and read in ${readMs} ms`;
    return freeBytes < reserveBytes || writeMs > slowDiskMs ? warning(text) : ok(text);
  } finally {
    await rm(path, { force: true });
  }
}
