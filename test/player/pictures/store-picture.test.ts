// Pictures that find no room.
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSystemClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import { Outbox } from "../../../src/player/outbox/outbox.ts";
import { storePicture } from "../../../src/player/pictures/store-picture.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";

const clock = createSystemClock();
const picture = { bytes: Buffer.alloc(1_000), mimeType: "image/jpeg", width: 10, height: 10, capturedAt: 0, captureMs: 1 } as const;

test("[PIC13] a picture is kept in memory while the disk is full, and fails with disk-full if there is no room either", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "outbox");
  const outbox = await Outbox.open(path, clock, silentLog);
  // A file in place of the folder fails every write, as a full disk does.
  await rm(path, { recursive: true });
  await writeFile(path, "");
  expect(await storePicture(outbox, picture, newId("cmd"))).toMatch(/^shot_/);
  expect(outbox.length).toBe(1);
  const detail = "x".repeat(2 ** 20);
  for (let each = 0; each < 16; each += 1) {
    await outbox.put({
      is: "command-status",
      commandId: newId("cmd"),
      update: { status: "failed", result: null, error: { code: "x", detail } },
    });
  }
  await expect(storePicture(outbox, { ...picture, bytes: Buffer.alloc(2 ** 20) }, newId("cmd"))).rejects.toMatchObject({
    code: "disk-full",
    message: expect.stringContaining("free its disk"),
  });
  expect(outbox.length).toBe(15);
});

test("[PIC13] a picture that the service would not accept fails at once, with what to ask for instead", async () => {
  await using folder = await temporaryFolder();
  const outbox = await Outbox.open(join(folder.path, "outbox"), clock, silentLog);
  const large = { ...picture, bytes: Buffer.alloc(9 * 2 ** 20) };
  await expect(storePicture(outbox, large, newId("cmd"))).rejects.toMatchObject({
    code: "unsupported",
    message: expect.stringContaining("max_width"),
  });
  expect(outbox.length).toBe(0);
});
