// The version before on a data folder that this version has migrated: whether the migrations only add what the version before ignores.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openStore } from "../../../src/service/store/store.ts";
import { freePort } from "../cluster/free-port.ts";
import { adminToken, serviceNode, type ServiceNode } from "../cluster/node.ts";
import type { ScaleTest } from "../scale-part.ts";
import { checkOutBefore } from "./old-checkout.ts";
import { findWritten, useService, type Written } from "./use-service.ts";

const databases = ["state.db", "telemetry.db", "plays.db"];

export async function tryOldCode({ run, work }: ScaleTest): Promise<void> {
  const checkout = join(work, "before");
  const commit = await checkOutBefore(checkout);
  const data = join(work, "shared-data");
  const logs = work;
  const before = serviceNode({ name: "before", port: await freePort(run.random), data, flags: [], checkout }, logs);
  const after = serviceNode({ name: "after", port: await freePort(run.random), data, flags: [] }, logs);
  await using _before = before.engine;
  await using _after = after.engine;
  const written: Written[] = [];
  const use = async (node: ServiceNode, label: string): Promise<void> => {
    const token = await adminToken(data);
    for (const each of written) await findWritten(node.url, token, each);
    written.push(await useService(node.url, token, label));
  };
  await attempt(run, "the version before works", async () => {
    await before.engine.start();
    await use(before, "old schema");
  });
  const known = new Map(databases.map((name) => [name, migrationsOf(join(data, name))]));
  await attempt(run, "it works on while this version migrates its databases", async () => {
    await (await openStore(data))[Symbol.asyncDispose]();
    await use(before, "migrated while it ran");
  });
  const added = new Map(databases.map((name) => [name, migrationsOf(join(data, name)).filter((each) => !known.get(name)!.includes(each))]));
  const names = [...added.values()].flat();
  if (names.length === 0) throw new Error("this version has no further migrations: nothing is proved");
  run.print({ before: commit, added: names.join(", ") });
  await before.engine.stop();
  await attempt(run, "it refuses to start on them, and says why", async () => {
    const error = await before.engine.start().catch((each: unknown) => each);
    if (error === undefined) throw new Error("it has started");
    const output = await readFile(join(logs, "before.log"), "utf8");
    if (!output.includes("was written by a newer version")) throw new Error("it does not say why it ends", { cause: error });
  });
  // Only so that its check of the history lets it start: what it finds in the tables is that of this version.
  for (const [name, migrations] of added) setMigrations(join(data, name), migrations, "hide");
  await attempt(run, "without that check it works from its start on", async () => {
    await before.engine.start();
    await use(before, "started on the migrated databases");
    await before.engine.stop();
  });
  for (const [name, migrations] of added) setMigrations(join(data, name), migrations, "show");
  await attempt(run, "this version has all that it wrote", async () => {
    await after.engine.start();
    await use(after, "this version");
  });
}

async function attempt(run: ScaleTest["run"], what: string, work: () => Promise<void>): Promise<void> {
  await run.try({ part: what }, async () => {
    const from = performance.now();
    await work();
    return performance.now() - from;
  });
}

function migrationsOf(path: string): string[] {
  using file = new DatabaseSync(path, { timeout: 5_000, readOnly: true });
  const rows = file.prepare("SELECT name FROM kysely_migration ORDER BY name").all();
  return rows.map(({ name }) => String(name));
}

/** Takes names out of the list of migrations that have run, or adds them again. */
function setMigrations(path: string, names: readonly string[], to: "hide" | "show"): void {
  using file = new DatabaseSync(path, { timeout: 5_000 });
  const statement =
    to === "hide"
      ? "DELETE FROM kysely_migration WHERE name = ?"
      : "INSERT INTO kysely_migration (name, timestamp) VALUES (?, datetime('now'))";
  for (const name of names) file.prepare(statement).run(name);
}
