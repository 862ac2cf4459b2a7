// Runs the checks of a diagnosis side by side, each with its own time limit, so that one that hangs does not hold up the others.
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/fault.ts";

/** The result of a check. `skipped`: it does not apply, or a requirement is missing. */
export interface Finding {
  is: "ok" | "warning" | "failed" | "skipped";
  /** For people: the observation, and the remedy if there is one. */
  detail: string;
}

export interface Check {
  name: string;
  limitMs: number;
  /** A rejection is a finding too: failed, with the reason. */
  run(signal: AbortSignal): Promise<Finding>;
}

export interface CheckReport extends Finding {
  name: string;
  took_ms: number;
}

export const ok = (detail: string): Finding => ({ is: "ok", detail });
export const warning = (detail: string): Finding => ({ is: "warning", detail });
export const failed = (detail: string): Finding => ({ is: "failed", detail });
export const skipped = (detail: string): Finding => ({ is: "skipped", detail });

const maxDetailLength = 500;

/** The reports in the order of the checks. @throws the reason of `signal` when it aborts. */
export async function runChecks(checks: readonly Check[], clock: Clock, signal: AbortSignal): Promise<CheckReport[]> {
  const reports = await Promise.all(checks.map((check) => runCheck(check, clock, signal)));
  signal.throwIfAborted();
  return reports;
}

async function runCheck(check: Check, clock: Clock, signal: AbortSignal): Promise<CheckReport> {
  const { name, limitMs } = check;
  const startedAt = clock.monotonic();
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal]);
  // A call that does not end when it is aborted, such as one of the system, is left behind.
  const late = clock.wait(limitMs, end).then(
    () => failed(`no result within ${limitMs / 1_000} s`),
    () => failed("it was cancelled"),
  );
  const found = check.run(end).catch((error: unknown) => failed(reasonOf(error)));
  const { is, detail } = await Promise.race([found, late]);
  over.abort();
  return { name, is, detail: detail.slice(0, maxDetailLength), took_ms: Math.round(clock.monotonic() - startedAt) };
}
