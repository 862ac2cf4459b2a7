// What the demo does when only a part of it fails, with a real service and a device without a player.
import { expect, test } from "vitest";
import { firstPicture } from "../../src/main/demo/demo.ts";
import { ServiceClient } from "../../src/main/service-client.ts";
import { TestService } from "../service/harness.ts";
import { temporaryFolder } from "../support/folder.ts";
import { createLog } from "../support/recording-log.ts";

test("[PRG1] the demo goes on without its first screenshot if none can be taken", async () => {
  await using folder = await temporaryFolder();
  await using service = await TestService.start(folder.path);
  const device = await service.pairDevice();
  const link = await device.connect();
  const { log, lines } = createLog();
  const client = new ServiceClient(service.service.url, service.token);
  const taken = firstPicture(client, device.playerId, log, new AbortController().signal);
  await link.next("command");
  const [{ id }] = (await service.call("GET", `players/${device.playerId}/commands`)).body.data as [{ id: string }];
  await device.call("POST", `commands/${id}/status`, { status: "failed", error: { code: "timeout", detail: "no frame" } });
  expect(await taken).toBeNull();
  expect(lines).toContainEqual(expect.objectContaining({ reason: expect.stringContaining("no frame") }));
});
