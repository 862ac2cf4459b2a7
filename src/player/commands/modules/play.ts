// The commands that change the content on the screen: overrides, skip, pause, resume and variables.
import { playCommandTypes, type PlayCommand } from "../../../protocol/device/play-commands.ts";
import type { CommandMetadata } from "../command-metadata.ts";
import { done, type CommandModule } from "../command-module.ts";

const deadlineMs = 30_000;

/** @param apply applies a command that changes the playback. Resolves with its result. */
export function playModules(
  apply: (command: PlayCommand & CommandMetadata) => Promise<Record<string, unknown> | null>,
): readonly CommandModule[] {
  return playCommandTypes.map((type): CommandModule<PlayCommand["type"]> => ({
    type,
    deadlineMs,
    run: async (command) => done(await apply(command)),
  }));
}
