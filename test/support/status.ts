// The status of a player whose browser, page and session are values that a test sets.
import { Listeners } from "../../src/base/async/listeners.ts";
import { Observable } from "../../src/base/async/observable.ts";
import { CorrectedClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { type BrowserEngine, describeEngine, noBrowserMemory } from "../../src/player/host.ts";
import type { Machine } from "../../src/player/machine.ts";
import { noSession, type ReportingSession, type SessionCondition, type SessionReport, Status } from "../../src/player/proof/status.ts";
import { DiskHealth } from "../../src/player/storage/disk-health.ts";
import { type PageState, reportPage } from "../../src/player/surface/page-state.ts";
import type { Recovery } from "../../src/player/surface/recovery.ts";
import type { UpdateState } from "../../src/protocol/device/updates.ts";
import type { FromPage } from "../../src/protocol/page-messages.ts";
import type { FakeClock } from "./clock.ts";
import { fakeMachine } from "./player.ts";

export interface StatusValues extends Partial<Pick<Recovery, "withheld" | "withoutGpuMs">> {
  machine?: Partial<Machine>;
  engine?: BrowserEngine;
  page?: PageState;
  update?: UpdateState;
  report?: Partial<SessionReport>;
  condition?: Partial<SessionCondition>;
}

/** A session that reports these values and is otherwise one without content; null without values. */
function sessionOf({ report, condition }: StatusValues): ReportingSession | null {
  if (report === undefined && condition === undefined) return null;
  return {
    report: () => ({ ...noSession.report, ...report }),
    condition: { ...noSession.condition, ...condition },
    displayPower: { report: () => ({ asked: null, reason: null, until: null, power: null, by: null }) },
  };
}

/** The status of an unpaired player without a page; `values` replaces parts. `send` sends a report of the page. */
export function createStatus(clock: FakeClock, values: StatusValues = {}) {
  const { engine = null, withheld = null, withoutGpuMs = null, update } = values;
  const machine = { ...fakeMachine(), ...values.machine };
  const page = new Observable<PageState>(values.page ?? { is: "away", since: clock.monotonic() });
  const messages = new Listeners<FromPage>();
  const corrected = new CorrectedClock(clock);
  const status = new Status(
    {
      config: { folder: "/", version: "1.2.3" },
      files: { disk: new DiskHealth(silentLog) },
      device: { machine },
      http: { api: { instanceId: "a run" } },
      browser: {
        host: { memoryByKind: async () => noBrowserMemory },
        surface: {
          page,
          report: () => reportPage(page.value, corrected),
          onMessage: (listener, signal) => messages.add(listener, signal),
        },
        recovery: { report: () => ({ engine: describeEngine(engine) }), engine, withheld, withoutGpuMs },
      },
      updates: update === undefined ? null : { report: () => ({ update }), problems: () => [] },
      clock: corrected,
      log: silentLog,
    },
    () => sessionOf(values),
    new AbortController().signal,
  );
  return { status, machine, send: (message: FromPage) => messages.notify(message) };
}
