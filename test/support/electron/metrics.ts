// The stand-in's process metrics: itself, the browsers' processes, and forked helpers.
import { readdirSync, readFileSync } from "node:fs";
import type { ProcessMetric } from "electron";

/** @param browsers process ids of running browsers, each of which leads its own session. */
export function metricsOf(own: number, browsers: readonly number[], utilities: ReadonlyMap<number, string>): ProcessMetric[] {
  const ids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return [
    metric(own, "Browser"),
    ...ids.filter((pid) => browsers.includes(sessionOf(pid))).map((pid) => metric(pid, "Tab")),
    ...[...utilities].map(([pid, name]) => ({ ...metric(pid, "Utility"), name })),
  ];
}

function metric(pid: number, type: ProcessMetric["type"]): ProcessMetric {
  const resident = Number(/^VmRSS:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0);
  return {
    pid,
    type,
    creationTime: 0,
    cpu: { percentCPUUsage: 0, idleWakeupsPerSecond: 0 },
    memory: { workingSetSize: resident, peakWorkingSetSize: resident },
  };
}

function sessionOf(pid: number): number {
  const text = textOf(`/proc/${pid}/stat`);
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[3] ?? 0);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // the process has ended
  }
}
