// Two nodes of one service for tests: whole services on one real PostgreSQL database, each with a data folder of its own.
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../src/base/clock.ts";
import type { ServiceConfig } from "../../../src/service/config.ts";
import { createLog, type LogLine } from "../../support/recording-log.ts";
import { temporaryFolder } from "../../support/folder.ts";
import type { TestPostgres } from "../../support/postgres.ts";
import { TestService } from "../harness.ts";

export interface TwoServices extends AsyncDisposable {
  a: TestService;
  b: TestService;
  database: string;
  lines: { a: LogLine[]; b: LogLine[] };
}

/** Starts two nodes; the first one begins with the duties. */
export async function startTwoServices(
  postgres: TestPostgres,
  config: Partial<ServiceConfig> & { clock?: Clock } = {},
): Promise<TwoServices> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const database = await postgres.createDatabase();
  const folders = { a: join(folder.path, "a"), b: join(folder.path, "b") };
  for (const each of Object.values(folders)) await mkdir(each);
  const [logA, logB] = [createLog(), createLog()];
  const a = opened.use(await TestService.start(folders.a, { database, log: logA.log, ...config }));
  // The same token on both.
  await copyFile(join(folders.a, "admin-token"), join(folders.b, "admin-token"));
  const b = opened.use(await TestService.start(folders.b, { database, log: logB.log, ...config }));
  const owned = opened.move();
  return { a, b, database, lines: { a: logA.lines, b: logB.lines }, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
