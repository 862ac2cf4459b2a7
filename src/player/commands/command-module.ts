// A command on the player: its type, its requirements, its limits, and its work.
import type { CommandType, DeviceCommand } from "../../protocol/device/command-request.ts";
import type { FaultCode } from "../../base/fault.ts";
import type { CommandMetadata } from "./command-metadata.ts";
import type { JournalEntry } from "./journal-files.ts";

/** The outcome of a command. `later`: the command is complete only after the player or its machine has restarted. */
export type CommandOutcome = { is: "done"; result: Record<string, unknown> | null } | { is: "later" };

/** How a command failed that could only be judged after a restart. */
export interface CommandFailure {
  is: "failed";
  code: FaultCode;
  detail: string;
}

export type CommandOf<T extends CommandType> = DeviceCommand & { type: T } & CommandMetadata;

/** At most `count` commands of the type start within `perMs`. Counted by the journal, so a restart does not change it. */
export interface CommandLimit {
  count: number;
  perMs: number;
}

/** One type of command. */
export interface CommandModule<T extends CommandType = CommandType> {
  readonly type: T;
  /** The command is aborted and fails after this time. */
  readonly deadlineMs: number;
  readonly limit?: CommandLimit;
  /** The requirement that this player does not meet, for people; null: none. Read whenever the player announces its commands. */
  missing?(): string | null;
  /** A note that the journal keeps with the command before it runs, for {@link outcomeAfterRestart}; null: none. */
  note?(): string | null;
  /** Carries the command out. If it rejects, the command fails with that reason. */
  run(command: CommandOf<T>, signal: AbortSignal): Promise<CommandOutcome>;
  /**
   * The outcome of a command that was running when the player or its machine ended. Null, as without this function: it was
   * interrupted, and fails.
   */
  outcomeAfterRestart?(entry: JournalEntry): CommandOutcome | CommandFailure | null;
}

export const done = (result: Record<string, unknown> | null = null): CommandOutcome => ({ is: "done", result });
