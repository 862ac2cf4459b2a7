// Two devices with one identity on two nodes of one service. In about one of five runs with messages neither is refused: see issue 21.
import { test } from "vitest";
import { waitUntil } from "../../support/polling.ts";
import type { DeviceSocket, TestService } from "../harness.ts";
import { connectTo, describeBothWays } from "./two-services.ts";

describeBothWays((start) => {
  test("[NOD15] of two clones on two nodes the first one stays", async () => {
    await using two = await start();
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
