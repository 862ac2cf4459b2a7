// Runs inside Electron: does with an Electron host what the tests say over the process channel. See electron-remote.ts.
import { app } from "electron";
import { createSystemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { createElectronHost } from "../../src/host/electron.ts";
import type { FramedSite, HostPage } from "../../src/player/host.ts";

/** What the tests ask. */
export interface Request {
  id: number;
  call: "open" | "reload" | "close" | "capture" | "memoryBytes" | "admit";
  given?: HostPage | readonly FramedSite[];
}

app.enableSandbox();
app.commandLine.appendSwitch("site-per-process");
// The last window's end is the tests' business, not the end of Electron.
app.on("window-all-closed", () => undefined);
process.on("disconnect", () => app.exit());

const never = new AbortController().signal;
const host = createElectronHost({
  window: null,
  log: silentLog,
  clock: createSystemClock(),
  probe: { intervalMs: 200, limitMs: 600 },
});
host.onFault((fault) => process.send!({ fault }), never);
host.onFrame((news) => process.send!({ news }), never);

process.on("message", (request: Request) => {
  answer(request).then(
    (value) => process.send!({ id: request.id, value }),
    (error: unknown) => process.send!({ id: request.id, code: (error as { code?: string }).code ?? String(error) }),
  );
});

async function answer({ call, given }: Request): Promise<unknown> {
  switch (call) {
    case "open":
      return await host.open(given as HostPage, never);
    case "reload":
      return await host.reload(never);
    case "close":
      return await host.close();
    case "capture":
      return (await host.capture(never)).bytes.toString("base64");
    case "admit":
      return host.admit(given as readonly FramedSite[]);
    case "memoryBytes":
      return await host.memoryBytes();
  }
}
