// The command screenshot: succeeds once its picture is in the outbox.
import type { Outbox } from "../../outbox/outbox.ts";
import { pictureLimitMs, type Camera } from "../../pictures/camera.ts";
import { storePicture } from "../../pictures/store-picture.ts";
import { done, type CommandModule } from "../command-module.ts";

export interface ScreenshotDependencies {
  outbox: Outbox;
  camera: Camera;
}

// The disk may take a moment to store the picture.
const deadlineMs = 2 * pictureLimitMs;

export function screenshotModule({ outbox, camera }: ScreenshotDependencies): CommandModule<"screenshot"> {
  return {
    type: "screenshot",
    deadlineMs,
    async run({ id, args: { format, quality, max_width: maxWidth } }, signal) {
      const picture = await camera.take({ format, quality, maxWidth }, signal);
      const screenshotId = await storePicture(outbox, picture, id);
      return done({ screenshot_id: screenshotId, width: picture.width, height: picture.height, size_bytes: picture.bytes.length });
    },
  };
}
