// Starts a service on the data folder that its first argument names, and prints the packages that it has loaded: one line of JSON. If
// a second argument names a database, it starts another service on that, and prints all packages that are loaded then.
import { enableCompileCache, registerHooks } from "node:module";
import { join } from "node:path";

enableCompileCache();
const packages = new Set<string>();
registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context);
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(resolved.url) ?? [];
    if (name !== undefined) packages.add(name);
    return resolved;
  },
});

const { createSystemClock } = await import("../../../src/base/clock.ts");
const { silentLog } = await import("../../../src/base/log.ts");
const { startService } = await import("../../../src/service/server.ts");
const [data = "", database = null] = process.argv.slice(2);
await printPackages(data, null);
if (database !== null) await printPackages(join(data, "shared"), database);

async function printPackages(folder: string, at: string | null): Promise<void> {
  const config = { port: 0, host: "127.0.0.1", data: folder, publicUrl: null, tls: null, consoleFolder: null, version: "test" };
  await using _service = await startService({ ...config, database: at }, { log: silentLog, clock: createSystemClock() });
  process.stdout.write(`${JSON.stringify([...packages].toSorted())}\n`);
}
