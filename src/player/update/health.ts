// Writes health.json every five seconds: what the launcher judges a new version by. In memory, so that it never wears the disk.
import { rename, writeFile } from "node:fs/promises";
import type { Clock } from "../../base/clock.ts";
import { isAbort, isFault, reasonOf } from "../../base/fault.ts";
import { recordText } from "../../base/files/record.ts";
import { isSystemError } from "../../base/files/system-error.ts";
import type { Log } from "../../base/log.ts";
import type { FromPage } from "../../protocol/page-messages.ts";
import { Health, type HealthChecks } from "../../protocol/device/updates.ts";
import type { BrowserEngine, Host } from "../host.ts";
import type { Machine } from "../machine.ts";
import type { PageState } from "../surface/page-state.ts";

export interface HealthDependencies {
  file: string;
  version: string;
  instanceId: string;
  /** What player and browser may take of the memory, in bytes. */
  memoryBudgetBytes: number;
  host: Pick<Host, "memoryBytes">;
  machine: Pick<Machine, "run" | "displayPower">;
  /** Whether the display is off because the player was asked to switch it off. */
  isOffOnPurpose: () => boolean;
  engine: () => BrowserEngine | null;
  page: () => PageState;
  /** Calls `listener` with the page's reports. */
  onPageMessage: (listener: (message: FromPage) => void, signal: AbortSignal) => void;
  /** When the service last answered a heartbeat, monotonic ms, null if never; undefined while the player is not paired. */
  answeredAt: () => number | null | undefined;
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
  const { file, clock, log, machine, onPageMessage } = dependencies;
  const startedAt = clock.monotonic();
  let framesPresented = 0;
  onPageMessage((message) => {
    if (message.type === "beat") framesPresented += message.frames;
  }, signal);
  if (machine.run === null) log.warn("the machine tells no boot id, so the launcher gets no health");
  let memory = { bytes: 0, measuredAt: Number.NEGATIVE_INFINITY };
  let hasFailed = false;
  for (;;) {
    const now = clock.monotonic();
    if (now - memory.measuredAt >= measureMs) memory = { bytes: await memoryBytes(dependencies), measuredAt: now };
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
  { version, instanceId, memoryBudgetBytes, machine, isOffOnPurpose, engine, page, answeredAt, clock }: HealthDependencies,
  measured: { framesPresented: number; uptimeMs: number; memoryBytes: number },
): Promise<Health | null> {
  const { run } = machine;
  if (run === null) return null;
  const browser = engine();
  const now = clock.monotonic();
  const answered = answeredAt();
  const checks: HealthChecks = {
    frames: await presentsFrames(page(), browser, { machine, isOffOnPurpose }, now),
    checked_in: answered === undefined ? null : answered !== null && now - answered < answerLimitMs,
    memory: measured.memoryBytes <= memoryBudgetBytes,
  };
  return {
    version,
    boot_id: run.id,
    instance_id: instanceId,
    monotonic_ms: Math.round(run.ageMs()),
    uptime_ms: Math.round(measured.uptimeMs),
    frames_presented: measured.framesPresented,
    browser: browser === null ? null : `${browser.name} ${browser.version}`,
    memory_bytes: measured.memoryBytes,
    memory_budget_bytes: memoryBudgetBytes,
    checks,
  };
}

/** Null: the display is off, so no frames are needed. */
async function presentsFrames(
  page: PageState,
  browser: BrowserEngine | null,
  { machine, isOffOnPurpose }: Pick<HealthDependencies, "machine" | "isOffOnPurpose">,
  now: number,
): Promise<boolean | null> {
  if (page.is === "here" && page.lastFrameAt !== null && now - page.lastFrameAt < framesLimitMs) return true;
  const isOff = isOffOnPurpose() || (browser?.headless !== true && (await machine.displayPower()) === "off");
  return isOff ? null : false;
}

async function memoryBytes({ host }: HealthDependencies): Promise<number> {
  return process.memoryUsage.rss() + (await host.memoryBytes());
}

async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
