// Puts a picture of the screen into the outbox.
import { createHash } from "node:crypto";
import { Fault } from "../../base/fault.ts";
import { ulid } from "../../base/ulid.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { TakenPicture } from "./camera.ts";

// The service accepts no larger one.
const maxBytes = 8 * 2 ** 20;

/**
 * Queues a picture for the service. @param commandId the command that asked for it; null: the player took it by itself.
 * @returns its id. @throws Fault `disk-full` if neither disk nor memory have room, `unsupported` if it is too large for the service.
 */
export async function storePicture(outbox: Outbox, picture: TakenPicture, commandId: string | null): Promise<string> {
  const { bytes, mimeType, capturedAt } = picture;
  if (bytes.length > maxBytes) {
    throw new Fault("unsupported", `The picture has ${bytes.length} bytes, more than the service accepts: ask for JPEG, or for max_width`);
  }
  const screenshotId = `shot_${ulid(capturedAt)}`;
  const headers = {
    "content-type": mimeType,
    "content-digest": `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`,
    "captured-at": new Date(capturedAt).toISOString(),
    ...(commandId === null ? {} : { "command-id": commandId }),
  };
  const kept = await outbox.keep({
    is: "screenshot",
    screenshotId,
    headers,
    base64: bytes.toString("base64"),
    ...(commandId === null ? { taken: "interval" } : {}),
  });
  if (kept === "dropped") {
    throw new Fault(
      "disk-full",
      "The disk cannot store the picture and too much is waiting in memory: see the screen's problems, and free its disk",
    );
  }
  return screenshotId;
}
