// Executes commands: takes screenshots, identifies the screen, reloads, restarts, and changes the playback.
import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { ulid } from "../../base/ulid.ts";
import type { CommandRequest } from "../../protocol/device/commands.ts";
import type { PlayCommand } from "../../protocol/device/play-commands.ts";
import type { Capture } from "../host.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { CommandMetadata } from "./command-metadata.ts";
import type { CommandExecutor } from "./command-runner.ts";
import { convertPicture } from "./screenshot-picture.ts";

/** The actions of the player that commands can start. */
export interface CommandEffects {
  capture(signal: AbortSignal): Promise<Capture>;
  identify(durationMs: number): void;
  reload(signal: AbortSignal): Promise<void>;
  restart(): void;
  /** Installs the wanted version without waiting for the window. Resolves with what happens. @throws Fault `unsupported` without a launcher. */
  update(): Promise<Record<string, unknown>>;
}

type Dependencies = CommandEffects & {
  clock: Clock;
  outbox: Outbox;
  log: Log;
  /** Applies a command that changes the playback. Resolves with its result. */
  applyPlayCommand(command: PlayCommand & CommandMetadata): Promise<Record<string, unknown> | null>;
};

const captureLimitMs = 10_000;

/** Creates the function that carries out each command on this player. */
export function createCommandExecutor(dependencies: Dependencies): CommandExecutor {
  return async (command, signal) => {
    switch (command.type) {
      case "screenshot":
        // Succeeds only after its image is in the outbox.
        return { is: "done", result: { screenshot_id: await takeScreenshot(dependencies, command, signal) } };
      case "identify":
        dependencies.identify(command.args.duration_ms);
        return { is: "done", result: null };
      case "reload":
        await dependencies.reload(signal);
        return { is: "done", result: null };
      case "restart":
        dependencies.log.warn("restarting because of a command");
        dependencies.restart();
        return { is: "later" };
      case "update":
        return { is: "done", result: await dependencies.update() };
      case "override.set":
      case "override.clear":
      case "skip":
      case "pause":
      case "resume":
      case "variables.set":
      case "variables.clear":
        return { is: "done", result: await dependencies.applyPlayCommand(command) };
    }
  };
}

type ScreenshotCommand = CommandRequest & { type: "screenshot"; id: string };

async function takeScreenshot(dependencies: Dependencies, command: ScreenshotCommand, signal: AbortSignal): Promise<string> {
  const { clock, outbox } = dependencies;
  const capture = await dependencies.capture(AbortSignal.any([signal, AbortSignal.timeout(captureLimitMs)]));
  const capturedAt = new Date(clock.now()).toISOString();
  const { bytes, mimeType } = await convertPicture(capture, command.args.format, command.args.max_width);
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
