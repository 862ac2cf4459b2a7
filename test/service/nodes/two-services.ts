// Two nodes of one service for tests: whole services on one real PostgreSQL database, each with a data folder of its own.
import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import type { Clock } from "../../../src/base/clock.ts";
import { statePushFeature } from "../../../src/protocol/device/messages.ts";
import type { ServiceConfig } from "../../../src/service/config.ts";
import { createLog, type LogLine } from "../../support/recording-log.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestNats } from "../../support/nats.ts";
import { startPostgres, type TestPostgres } from "../../support/postgres.ts";
import { DeviceSocket, TestService, type Device } from "../harness.ts";

export interface TwoServices extends AsyncDisposable {
  a: TestService;
  b: TestService;
  database: string;
  lines: { a: LogLine[]; b: LogLine[] };
}

type TwoConfig = Partial<ServiceConfig> & { clock?: Clock; secondClock?: Clock };

/** Starts two nodes; the first one begins with the duties. */
export async function startTwoServices(postgres: TestPostgres, { secondClock, ...config }: TwoConfig = {}): Promise<TwoServices> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const database = await postgres.createDatabase();
  const folders = { a: join(folder.path, "a"), b: join(folder.path, "b") };
  for (const each of Object.values(folders)) await mkdir(each);
  const [logA, logB] = [createLog(), createLog()];
  const a = opened.use(await TestService.start(folders.a, { database, log: logA.log, ...config }));
  // The same token on both.
  await copyFile(join(folders.a, "admin-token"), join(folders.b, "admin-token"));
  const b = opened.use(
    await TestService.start(folders.b, { database, log: logB.log, ...config, ...(secondClock && { clock: secondClock }) }),
  );
  const owned = opened.move();
  return { a, b, database, lines: { a: logA.lines, b: logB.lines }, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Defines tests for nodes that hear of each other by polling alone, and again with a nats-server. @param define gets how to start two. */
export function describeBothWays(define: (start: (config?: TwoConfig) => Promise<TwoServices>) => void): void {
  let postgres: TestPostgres;
  let nats: TestNats;

  beforeAll(async () => {
    [postgres, nats] = await Promise.all([startPostgres(), TestNats.start()]);
  });
  afterAll(async () => {
    await nats[Symbol.asyncDispose]();
    await postgres[Symbol.asyncDispose]();
  });

  describe("by polling", () => define((config) => startTwoServices(postgres, config)));
  describe("with messages", () =>
    define((config) => startTwoServices(postgres, { ...config, messages: { url: nats.url, acceptsOldServer: true } })));
}

/** Connects a device to a node. @returns when it was welcomed, or refused */
export async function connectTo(node: TestService, device: Device, instance?: string): Promise<DeviceSocket> {
  const link = new DeviceSocket(node.service.url, device.access.access_token, instance);
  link.hello(null, 0, {}, [statePushFeature]);
  await Promise.race([link.next("welcome"), link.closed]);
  return link;
}
