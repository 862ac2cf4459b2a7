// Writes health.json, by which the launcher judges a new version, every five seconds. In memory, so that it never wears the disk.
import { rename, writeFile } from "node:fs/promises";
import type { Clock } from "../../base/clock.ts";
import { isAbort, isFault, reasonOf } from "../../base/fault.ts";
import { recordText } from "../../base/files/record.ts";
import { isSystemError } from "../../base/files/system-error.ts";
import type { Log } from "../../base/log.ts";
import { Health, type HealthChecks } from "../../protocol/device/updates.ts";
import type { DisplayPower } from "../control/display-power.ts";
import type { Host } from "../host.ts";
import type { Connection } from "../link/connection.ts";
import type { Machine } from "../machine.ts";
import type { Recovery } from "../surface/recovery.ts";
import type { Surface } from "../surface/surface.ts";

/** A session with a service, as far as the health has to do with it. */
export interface HealthSession {
  displayPower: Pick<DisplayPower, "isOffOnPurpose">;
  connection: Pick<Connection, "answeredAt">;
}

export interface HealthDependencies {
  file: string;
  /** Size that player and browser may take of the memory, in bytes. */
  memoryBudgetBytes: number;
  /** The program, and this run of it. */
  program: { version: string; instanceId: string };
  machine: Pick<Machine, "run" | "displayPower">;
  browser: {
    host: Pick<Host, "memoryBytes">;
    surface: Pick<Surface, "page" | "onMessage">;
    recovery: Pick<Recovery, "engine">;
  };
  /** Returns null while the player is not paired. */
  session: () => HealthSession | null;
  clock: Clock;
  log: Log;
}

const writeMs = 5_000;
// Adding up a browser's memory costs the kernel milliseconds for each of its processes.
const measureMs = 30_000;
const framesLimitMs = 30_000;
const answerLimitMs = 120_000;

/** Writes the health until `signal` aborts. A file that cannot be written is logged once: the launcher then has no health to judge by. */
export async function reportHealth(dependencies: HealthDependencies, signal: AbortSignal): Promise<never> {
  const { file, clock, log, machine, browser } = dependencies;
  const startedAt = clock.monotonic();
  let framesPresented = 0;
  browser.surface.onMessage((message) => {
    if (message.type === "beat") framesPresented += message.frames;
  }, signal);
  if (machine.run === null) log.warn("the machine tells no boot id, so the launcher gets no health");
  let memory = { bytes: 0, measuredAt: Number.NEGATIVE_INFINITY };
  let hasFailed = false;
  for (;;) {
    const now = clock.monotonic();
    if (now - memory.measuredAt >= measureMs)
      memory = { bytes: process.memoryUsage.rss() + (await browser.host.memoryBytes()), measuredAt: now };
    const health = await healthOf(dependencies, { framesPresented, uptimeMs: now - startedAt, memoryBytes: memory.bytes });
    try {
      // Without a sync: the file is in memory, and of no use after a power cut.
      if (health !== null) await replaceFile(file, `${recordText(health, (json) => Health.parse(json), "health.json")}\n`);
      hasFailed = false;
    } catch (error) {
      if (!(isSystemError(error) || isFault(error, "record-unreadable")) || isAbort(error)) throw error;
      if (!hasFailed) log.error({ file, reason: reasonOf(error) }, "the health cannot be written: the launcher cannot judge a new version");
      hasFailed = true;
    }
    await clock.wait(writeMs, signal);
  }
}

async function healthOf(
  dependencies: HealthDependencies,
  measured: { framesPresented: number; uptimeMs: number; memoryBytes: number },
): Promise<Health | null> {
  const { memoryBudgetBytes, program, machine, browser, session, clock } = dependencies;
  const { run } = machine;
  if (run === null) return null;
  const { engine } = browser.recovery;
  const now = clock.monotonic();
  const answered = session()?.connection.answeredAt;
  const checks: HealthChecks = {
    frames: await presentsFrames(dependencies, now),
    checked_in: answered === undefined ? null : answered !== null && now - answered < answerLimitMs,
    memory: measured.memoryBytes <= memoryBudgetBytes,
  };
  return {
    version: program.version,
    boot_id: run.id,
    instance_id: program.instanceId,
    monotonic_ms: Math.round(run.ageMs()),
    uptime_ms: Math.round(measured.uptimeMs),
    frames_presented: measured.framesPresented,
    browser: engine === null ? null : `${engine.name} ${engine.version}`,
    memory_bytes: measured.memoryBytes,
    memory_budget_bytes: memoryBudgetBytes,
    checks,
  };
}

/** Null: the display is off, so no frames are needed. */
async function presentsFrames({ machine, browser, session }: HealthDependencies, now: number): Promise<boolean | null> {
  const page = browser.surface.page.value;
  if (page.is === "here" && page.lastFrameAt !== null && now - page.lastFrameAt < framesLimitMs) return true;
  const isOffOnPurpose = session()?.displayPower.isOffOnPurpose === true;
  const isOff = isOffOnPurpose || (browser.recovery.engine?.headless !== true && (await machine.displayPower()) === "off");
  return isOff ? null : false;
}

async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
