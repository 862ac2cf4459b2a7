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
import { DeviceSocket, TestService, type Device } from "../harness.ts";
import { usePostgres, type Databases } from "./use-postgres.ts";

export interface TwoServices extends AsyncDisposable {
  a: TestService;
  b: TestService;
  database: string;
  lines: { a: LogLine[]; b: LogLine[] };
}

type TwoConfig = Partial<ServiceConfig> & { clock?: Clock; secondClock?: Clock };

/** Starts two nodes; the first one begins with the duties. */
export async function startTwoServices(databases: Databases, { secondClock, ...config }: TwoConfig = {}): Promise<TwoServices> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const database = await databases.createDatabase();
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

/** Two nodes for all tests of a file or group. To be called where the tests are defined. */
export function useTwoServices(databases: Databases, config: () => TwoConfig = () => ({})): Omit<TwoServices, typeof Symbol.asyncDispose> {
  let two: TwoServices;
  beforeAll(async () => {
    two = await startTwoServices(databases, config());
  });
  afterAll(() => two[Symbol.asyncDispose]());
  return {
    get a() {
      return two.a;
    },
    get b() {
      return two.b;
    },
    get database() {
      return two.database;
    },
    get lines() {
      return two.lines;
    },
  };
}

/**
 * Defines tests for two nodes that hear of each other by polling alone, and again with a nats-server.
 * @param define gets the nodes, which all its tests use.
 */
export function describeBothWays(define: (two: ReturnType<typeof useTwoServices>) => void, config: TwoConfig): void {
  const databases = usePostgres();
  describe("by polling", () => define(useTwoServices(databases, () => config)));
  describe("with messages", () => {
    let nats: TestNats;
    beforeAll(async () => {
      nats = await TestNats.start();
    });
    afterAll(() => nats[Symbol.asyncDispose]());
    define(useTwoServices(databases, () => ({ ...config, messages: { url: nats.url, acceptsOldServer: true } })));
  });
}

/** Connects a device to a node. @returns when it was welcomed, or refused */
export async function connectTo(node: TestService, device: Device, instance?: string): Promise<DeviceSocket> {
  const link = new DeviceSocket(node.service.url, device.access.access_token, instance);
  link.hello(null, 0, {}, [statePushFeature]);
  await Promise.race([link.next("welcome"), link.closed]);
  return link;
}
