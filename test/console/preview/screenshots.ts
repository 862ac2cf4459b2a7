// Screenshots by command.
import type { TestService } from "../../service/harness.ts";
import { eventually } from "../../support/polling.ts";

/** The picture of a screen without loss, as the service has it. @throws if the player refuses. */
export async function takeScreenshot(service: TestService, playerId: string): Promise<Buffer> {
  const path = `players/${playerId}/commands`;
  const { body: sent } = await service.call("POST", path, { type: "screenshot", args: { format: "png" } });
  const ended = await eventually(async () => {
    const { body } = await service.call("GET", `${path}/${sent.id}`);
    return ["succeeded", "failed", "rejected", "expired"].includes(body.status) ? body : null;
  });
  if (ended.status !== "succeeded") throw new Error(`no screenshot: ${JSON.stringify(ended)}`);
  return (await service.call("GET", `screenshots/${ended.result.screenshot_id}/image`)).body;
}
