// The stand-in's figures of its processes: itself, the browser's, and the helpers it forked.
import { readdirSync, readFileSync } from "node:fs";
import type { ProcessMetric } from "electron";

/** @param browsers process ids of running browsers, each the leader of a session of its own. */
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
    return ""; // the process is gone
  }
}
