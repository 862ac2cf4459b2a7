// Two devices with one identity on two nodes of one service. In about one of five runs with messages neither is refused: see issue 21.
import { afterAll, beforeAll, describe, test } from "vitest";
import type { ServiceConfig } from "../../../src/service/config.ts";
import { TestNats } from "../../support/nats.ts";
import { startPostgres, type TestPostgres } from "../../support/postgres.ts";
import { waitUntil } from "../../support/polling.ts";
import { DeviceSocket, type Device, type TestService } from "../harness.ts";
import { startTwoServices } from "./two-services.ts";

let postgres: TestPostgres;
let nats: TestNats;

beforeAll(async () => {
  [postgres, nats] = await Promise.all([startPostgres(), TestNats.start()]);
});
afterAll(async () => {
  await nats[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

describe.each([
  ["by polling", (): Partial<ServiceConfig> => ({})],
  ["with messages", (): Partial<ServiceConfig> => ({ messages: { url: nats.url, acceptsOldServer: true } })],
])("%s", (_how, config) => {
  test("[NOD15] of two clones on two nodes the first one stays", async () => {
    await using two = await startTwoServices(postgres, config());
    const { a, b } = two;
    // Two runs of two devices that are alive at the same time.
    const clones = await a.pairDevice("Clone");
    const first = await connectTo(a, clones, "first-device");
    const second = await connectTo(b, clones, "second-device");
    const closed: string[] = [];
    let isOver = false;
    const keep = async (name: string, node: TestService, link: DeviceSocket): Promise<void> => {
      const code = await link.closed;
      closed.push(`${name} ${code}`);
      // A player connects again whatever ended its socket, unless it is refused.
      if (code !== 4410 && !isOver) void keep(name, node, await connectTo(node, clones, `${name}-device`));
    };
    void keep("first", a, first);
    void keep("second", b, second);
    try {
      await waitUntil("one of them is refused", () => closed.some((each) => each.endsWith("4410")), 90_000);
    } catch (error) {
      throw new Error(`closed: ${closed.join(", ")}`, { cause: error });
    } finally {
      isOver = true;
    }
  });
});

async function connectTo(node: TestService, device: Device, instance?: string): Promise<DeviceSocket> {
  const link = new DeviceSocket(node.service.url, device.access.access_token, instance);
  link.hello();
  await Promise.race([link.next("welcome"), link.closed]);
  return link;
}
