// Starts a service on the data folder that its argument names, and prints the packages that it has loaded: one line of JSON.
import { registerHooks } from "node:module";

const packages = new Set<string>();
registerHooks({
  load(url, context, nextLoad) {
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url) ?? [];
    if (name !== undefined) packages.add(name);
    return nextLoad(url, context);
  },
});

const { createSystemClock } = await import("../../../src/base/clock.ts");
const { silentLog } = await import("../../../src/base/log.ts");
const { startService } = await import("../../../src/service/server.ts");
const [data = "", database] = process.argv.slice(2);
const config = { port: 0, host: "127.0.0.1", data, publicUrl: null, tls: null, consoleFolder: null, version: "test" };
await using _service = await startService({ ...config, database: database ?? null }, { log: silentLog, clock: createSystemClock() });
process.stdout.write(`${JSON.stringify([...packages].toSorted())}\n`);
