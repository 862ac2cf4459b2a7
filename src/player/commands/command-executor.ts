// Does what commands ask: takes the picture, shows the name, reloads, restarts.
import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { ulid } from "../../base/ulid.ts";
import type { CommandRequest } from "../../protocol/device/commands.ts";
import type { PlayCommand } from "../../protocol/device/play-commands.ts";
import type { CommandExecutor, CommandMetadata } from "./command-runner.ts";
import type { Capture } from "../host.ts";
import type { Outbox } from "../proof/outbox.ts";
import { convertPicture } from "./screenshot-picture.ts";

/** What commands do to the player around them. */
export interface CommandEffects {
  capture(signal: AbortSignal): Promise<Capture>;
  identify(durationMs: number): void;
  reload(signal: AbortSignal): Promise<void>;
  restart(): void;
}

type Parts = CommandEffects & {
  clock: Clock;
  outbox: Outbox;
  log: Log;
  /** Does what changes what plays; resolves with what came of it. */
  obey(command: PlayCommand & CommandMetadata): Promise<Record<string, unknown> | null>;
};

const captureLimitMs = 10_000;

/** The doer of commands. A picture is put into the outbox before the command counts as done. */
export function createCommandExecutor(parts: Parts): CommandExecutor {
  return async (command, signal) => {
    switch (command.type) {
      case "screenshot":
        return { is: "done", result: { screenshot_id: await screenshot(parts, command, signal) } };
      case "identify":
        parts.identify(command.args.duration_ms);
        return { is: "done", result: null };
      case "reload":
        await parts.reload(signal);
        return { is: "done", result: null };
      case "restart":
        parts.log.warn("restarting by command");
        parts.restart();
        return { is: "later" };
      case "override.set":
      case "override.clear":
      case "skip":
      case "pause":
      case "resume":
      case "variables.set":
      case "variables.clear":
        return { is: "done", result: await parts.obey(command) };
    }
  };
}

type ScreenshotCommand = CommandRequest & { type: "screenshot"; id: string };

async function screenshot(parts: Parts, command: ScreenshotCommand, signal: AbortSignal): Promise<string> {
  const { clock, outbox } = parts;
  const shot = await parts.capture(AbortSignal.any([signal, AbortSignal.timeout(captureLimitMs)]));
  const capturedAt = new Date(clock.now()).toISOString();
  const { bytes, mimeType } = await convertPicture(shot, command.args.format, command.args.max_width);
  const screenshotId = `shot_${ulid(clock.now())}`;
  const headers = {
    "content-type": mimeType,
    "content-digest": `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`,
    "captured-at": capturedAt,
    "command-id": command.id,
  };
  await outbox.put({ is: "screenshot", screenshotId, headers, base64: bytes.toString("base64") });
  return screenshotId;
}
