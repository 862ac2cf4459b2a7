// The modules of commands with a real outbox. The effects on host and program are recorded.
import { createHash } from "node:crypto";
import { join } from "node:path";
import sharp from "sharp";
import { expect, test } from "vitest";
import { CorrectedClock } from "../../../src/base/clock.ts";
import { silentLog } from "../../../src/base/log.ts";
import type { CommandModule } from "../../../src/player/commands/command-module.ts";
import { CommandSet } from "../../../src/player/commands/command-set.ts";
import { playModules } from "../../../src/player/commands/modules/play.ts";
import { programModules } from "../../../src/player/commands/modules/program.ts";
import { screenshotModule } from "../../../src/player/commands/modules/screenshot.ts";
import { Camera } from "../../../src/player/pictures/camera.ts";
import { Outbox } from "../../../src/player/outbox/outbox.ts";
import type { Host } from "../../../src/player/host.ts";
import type { OutboxMessage } from "../../../src/player/outbox/outbox-message.ts";
import { CommandRequest } from "../../../src/protocol/device/command-request.ts";
import { picture } from "../../service/harness.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";

const signal = new AbortController().signal;

/** A camera of a display that is on. */
function cameraOf(clock: CorrectedClock, capture: Host["capture"]): Camera {
  return new Camera({ capture, displayPower: async () => "on", fault: () => null, rules: () => ({ rotation: 0, redact: [] }), clock });
}

/** An executor whose effects are listed in `effects`. */
async function createExecutor(folder: string) {
  const clock = new CorrectedClock(new FakeClock());
  const outbox = await Outbox.open(join(folder, "outbox"), clock, silentLog);
  const effects: unknown[] = [];
  const bytes = await picture("png", 32);
  const program = {
    identify: (durationMs: number) => void effects.push({ identify: durationMs }),
    reload: async () => void effects.push("reload"),
    restart: () => void effects.push("restart"),
    update: async () => {
      effects.push("update");
      return { version: "1.4.0", is: "downloading" };
    },
    updateIsMissing: () => null,
  };
  const set = new CommandSet([
    screenshotModule({ outbox, camera: cameraOf(clock, async () => ({ bytes, mimeType: "image/png" })) }),
    ...programModules(program, silentLog),
    ...playModules(async (command) => {
      effects.push({ play: command.type });
      return { ended: 1 };
    }),
  ]);
  const execute: CommandModule["run"] = (command, end) => set.execute(command, end);
  return { execute, effects, outbox, clock };
}

function run(execute: CommandModule["run"], command: { type: string; args?: object }, id = newId("cmd")) {
  return execute({ ...CommandRequest.parse(command), id }, signal);
}

test("[WIR19] the commands identify and reload are done at once; restart is done only after the next start", async () => {
  await using folder = await temporaryFolder();
  const { execute, effects, outbox } = await createExecutor(folder.path);
  expect(await run(execute, { type: "identify", args: { duration_ms: 2_000 } })).toEqual({ is: "done", result: null });
  expect(await run(execute, { type: "reload" })).toEqual({ is: "done", result: null });
  expect(await run(execute, { type: "restart" })).toEqual({ is: "later" });
  expect(effects).toEqual([{ identify: 2_000 }, "reload", "restart"]);
  expect(outbox.length).toBe(0);
});

test("[UPD21] the command update reports what happens to the wanted version", async () => {
  await using folder = await temporaryFolder();
  const { execute, effects } = await createExecutor(folder.path);
  expect(await run(execute, { type: "update" })).toEqual({ is: "done", result: { version: "1.4.0", is: "downloading" } });
  expect(effects).toEqual(["update"]);
});

test.each(["override.clear", "skip", "pause", "resume", "variables.clear"])(
  "[WIR20] the command %s is passed to playback and returns its result",
  async (type) => {
    await using folder = await temporaryFolder();
    const { execute, effects } = await createExecutor(folder.path);
    expect(await run(execute, { type })).toEqual({ is: "done", result: { ended: 1 } });
    expect(effects).toEqual([{ play: type }]);
  },
);

test("[WIR21] a screenshot is in the outbox, converted and with its digest, before its command is done", async () => {
  await using folder = await temporaryFolder();
  const { execute, outbox, clock } = await createExecutor(folder.path);
  const commandId = newId("cmd");
  const done = await run(execute, { type: "screenshot", args: { format: "webp", max_width: 16 } }, commandId);
  expect(outbox.length).toBe(1);
  const stop = new AbortController();
  let sent: OutboxMessage | undefined;
  const deliver = async (message: OutboxMessage): Promise<null> => {
    sent = message;
    stop.abort();
    return null;
  };
  await expect(outbox.run(deliver, stop.signal)).rejects.toMatchObject({ name: "AbortError" });
  if (sent?.is !== "screenshot") throw new Error(`sent ${sent?.is}`);
  const bytes = Buffer.from(sent.base64, "base64");
  const size = { width: 16, height: 16, size_bytes: bytes.length };
  expect(done).toEqual({ is: "done", result: { screenshot_id: sent.screenshotId, ...size } });
  expect(sent.headers).toEqual({
    "content-type": "image/webp",
    "content-digest": `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`,
    "captured-at": new Date(clock.now()).toISOString(),
    "command-id": commandId,
  });
  expect(await sharp(bytes).metadata()).toMatchObject({ format: "webp", width: 16, height: 16 });
});

test("[WIR21] if the capture fails, the command fails and nothing is left in the outbox", async () => {
  await using folder = await temporaryFolder();
  const clock = new CorrectedClock(new FakeClock());
  const outbox = await Outbox.open(join(folder.path, "outbox"), clock, silentLog);
  const set = new CommandSet([screenshotModule({ outbox, camera: cameraOf(clock, () => Promise.reject(new Error("the page is gone"))) })]);
  const execute: CommandModule["run"] = (command, end) => set.execute(command, end);
  await expect(run(execute, { type: "screenshot" })).rejects.toThrow("the page is gone");
  expect(outbox.length).toBe(0);
});
