// The command screenshot: succeeds once its picture is in the outbox.
import { createHash } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import { ulid } from "../../../base/ulid.ts";
import type { Capture } from "../../host.ts";
import type { Outbox } from "../../outbox/outbox.ts";
import { done, type CommandModule } from "../command-module.ts";
import { convertPicture } from "../screenshot-picture.ts";

export interface ScreenshotDependencies {
  clock: Clock;
  outbox: Outbox;
  capture: (signal: AbortSignal) => Promise<Capture>;
}

const deadlineMs = 10_000;

export function screenshotModule({ clock, outbox, capture }: ScreenshotDependencies): CommandModule<"screenshot"> {
  return {
    type: "screenshot",
    deadlineMs,
    async run(command, signal) {
      const taken = await capture(AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]));
      const capturedAt = new Date(clock.now()).toISOString();
      const { bytes, mimeType } = await convertPicture(taken, command.args.format, command.args.max_width);
      const screenshotId = `shot_${ulid(clock.now())}`;
      const headers = {
        "content-type": mimeType,
        "content-digest": `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`,
        "captured-at": capturedAt,
        "command-id": command.id,
      };
      await outbox.put({ is: "screenshot", screenshotId, headers, base64: bytes.toString("base64") });
      return done({ screenshot_id: screenshotId });
    },
  };
}
