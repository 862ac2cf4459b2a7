// Runs inside Electron: calls an Electron host as the tests request over the IPC channel. See electron-remote.ts.
import { app } from "electron";
import { pino } from "pino";
import { createSystemClock } from "../../src/base/clock.ts";
import { createElectronHost } from "../../src/host/electron/host.ts";
import { prepareApp } from "../../src/host/electron/app.ts";
import type { IframeLimits } from "../../src/host/iframes/limits.ts";
import type { CaptureOptions, IframeSite, HostPage } from "../../src/player/host.ts";
import { HeldClock } from "./held-clock.ts";
import { probe } from "./limits.ts";
import { localRule, lookupOf, type Names } from "./names.ts";

/** Options of the host; see `HostFixtureOptions`. */
export interface DriverOptions {
  allowLocal: string;
  names: Names;
  limits: Partial<IframeLimits>;
  onMachineTime: boolean;
}

/** Waits of the host to end, see `HeldClock`. */
export interface WaitsToEnd {
  ms: number;
  count: number;
}

/** A request of the tests. */
export interface Request {
  id: number;
  call: "open" | "reload" | "close" | "capture" | "memoryBytes" | "memoryByKind" | "setIframeSites" | "endWaits";
  argument?: HostPage | CaptureOptions | readonly IframeSite[] | WaitsToEnd;
}

prepareApp(process.env["SIGNAGE_ELECTRON_DATA"]!);
process.on("disconnect", () => app.exit());

const never = new AbortController().signal;
const { allowLocal, names, limits, onMachineTime } = JSON.parse(process.env["SIGNAGE_ELECTRON_OPTIONS"]!) as DriverOptions;
const clock = new HeldClock();
const host = createElectronHost({
  window: null,
  log: pino({ level: "warn" }, { write: (line: string) => void process.send!({ line: JSON.parse(line) }) }),
  clock: onMachineTime ? createSystemClock() : clock,
  limits: { probe, iframes: limits },
  network: { mayReachLocal: localRule(allowLocal), lookup: lookupOf(names) },
});
host.onFault((fault) => process.send!({ fault }), never);
host.onIframeEvent((event) => process.send!({ event }), never);

process.on("message", (request: Request) => {
  handle(request).then(
    (value) => process.send!({ id: request.id, value }),
    (error: unknown) => process.send!({ id: request.id, code: (error as { code?: string }).code ?? String(error) }),
  );
});

async function handle({ call, argument }: Request): Promise<unknown> {
  switch (call) {
    case "open":
      return await host.open(argument as HostPage, never);
    case "reload":
      return await host.reload(never);
    case "close":
      return await host.close();
    case "capture":
      return (await host.capture(never, argument as CaptureOptions | undefined)).bytes.toString("base64");
    case "setIframeSites":
      return host.setIframeSites(argument as readonly IframeSite[]);
    case "memoryByKind":
      return await host.memoryByKind();
    case "memoryBytes":
      return await host.memoryBytes();
    case "endWaits": {
      const { ms, count } = argument as WaitsToEnd;
      return await clock.end(ms, count);
    }
  }
}
