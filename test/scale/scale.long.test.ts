// The short version of the scale tests: two nodes, PostgreSQL, nats-server and HAProxy as real processes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { rootFolder } from "../../src/main/folders.ts";
import { descendantsOf } from "../../scripts/scale/cluster/process-tree.ts";
import { temporaryFolder } from "../support/folder.ts";
import { waitUntil } from "../support/polling.ts";

const timeLimitMs = 300_000;

interface Ended {
  code: number | null;
  lines: Record<string, unknown>[];
}

/** A folder that PostgreSQL's user may enter. */
async function workFolder(): ReturnType<typeof temporaryFolder> {
  const folder = await temporaryFolder();
  await chmod(folder.path, 0o755);
  return folder;
}

/** Starts a part of the scale tests with its folders in `work`. */
function startPart(work: string, ...flags: string[]) {
  const argv = ["scripts/scale.ts", ...flags, "--short", "--engines", "postgres,nats", "--seed", "15", "--work", work];
  return spawn(process.execPath, argv, { cwd: rootFolder, stdio: ["ignore", "pipe", "inherit"] });
}

async function runPart(...flags: string[]): Promise<Ended> {
  await using folder = await workFolder();
  const child = startPart(folder.path, ...flags);
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit") as Promise<[number | null]>]);
  const lines = output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code, lines };
}

test("[SCL6] a kill -9 of a node and of PostgreSQL loses and repeats nothing", { timeout: timeLimitMs }, async () => {
  const { code, lines } = await runPart("faults", "--only", "kill-node,kill-postgres");
  expect(lines.filter((line) => "violation" in line)).toEqual([]);
  expect([code, lines.at(-1)]).toEqual([0, expect.objectContaining({ summary: true, tries: 2, survived: 2, violations: 0 })]);
});

test("[SCL7] concurrent operations on two nodes are as if they came one at a time", { timeout: timeLimitMs }, async () => {
  const { code, lines } = await runPart("consistency", "400");
  expect(lines.filter((line) => "violation" in line)).toEqual([]);
  expect([code, lines.at(-1)]).toEqual([0, expect.objectContaining({ summary: true, survived: 1, violations: 0 })]);
});

test("[SCL8] a scale test that is interrupted, or killed, ends what it started", { timeout: timeLimitMs }, async () => {
  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    await using folder = await workFolder();
    const child = startPart(folder.path, "faults");
    child.stdout.resume();
    // HAProxy comes last: by then all the others run.
    await waitUntil(
      "everything runs",
      () => {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
        return descendantsOf(child.pid!).some((pid) => commandOf(pid).startsWith("haproxy"));
      },
      120_000,
    );
    const started = descendantsOf(child.pid!);
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
    await waitUntil("everything has ended", () => started.every((pid) => descendantsOf(pid).length === 0), 60_000);
    expect(started.length).toBeGreaterThan(5);
  }
});

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // It has ended.
  }
}
