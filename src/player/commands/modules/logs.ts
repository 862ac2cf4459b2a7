// The commands logs.collect and logs.level.
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Clock } from "../../../base/clock.ts";
import { reasonOf } from "../../../base/fault.ts";
import { recentLinesOf, type Log } from "../../../base/log.ts";
import { hourMs, iso } from "../../../base/time.ts";
import { ulid } from "../../../base/ulid.ts";
import type { Outbox } from "../../outbox/outbox.ts";
import { done, type CommandModule } from "../command-module.ts";

export interface LogsDependencies {
  clock: Clock;
  log: Log;
  outbox: Outbox;
  /** Reads the end of the device's own audit log. */
  auditTail: (maxBytes: number) => Promise<string>;
}

const deadlineMs = 30_000;
const limit = { count: 10, perMs: hourMs };
const maxAuditBytes = 262_144;

/** The command logs.collect: succeeds once the log is in the outbox. */
export function logsCollectModule({ clock, log, outbox, auditTail }: LogsDependencies): CommandModule<"logs.collect"> {
  return {
    type: "logs.collect",
    deadlineMs,
    limit,
    missing: () => (recentLinesOf(log) === null ? "this program keeps no lines of its log" : null),
    async run({ id: commandId, args }, signal) {
      const { lines, from, to } = recentLinesOf(log)!.newest(args.level, args.max_bytes);
      const audit = await readTail(auditTail, log);
      const bytes = await promisify(gzip)([...lines, ...(audit === "" ? [] : [audit.trimEnd()]), ""].join("\n"));
      signal.throwIfAborted();
      const logId = `log_${ulid(clock.now())}`;
      const headers = {
        "content-type": "application/gzip",
        "content-digest": `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`,
        "captured-at": iso(clock.now()),
        "command-id": commandId,
      };
      await outbox.put({ is: "log", logId, headers, base64: bytes.toString("base64") });
      return done({ log_id: logId, lines: lines.length, from, to });
    },
  };
}

/** A damaged audit log must not keep the other lines from being collected. */
async function readTail(auditTail: (maxBytes: number) => Promise<string>, log: Log): Promise<string> {
  try {
    return await auditTail(maxAuditBytes);
  } catch (error) {
    log.warn({ reason: reasonOf(error) }, "the device's audit log could not be read");
    return "";
  }
}

/** The command logs.level: changes the level for a while. A restart of the program ends it too. */
export function logsLevelModule(log: Log, clock: Clock): CommandModule<"logs.level"> {
  const usual = log.level;
  let returning = new AbortController();
  return {
    type: "logs.level",
    deadlineMs,
    async run({ args: { level, duration_ms: durationMs } }) {
      const before = log.level;
      returning.abort();
      const mine = new AbortController();
      returning = mine;
      log.level = level;
      log.warn({ level, duration_ms: durationMs }, "the level of the log was changed by a command");
      void clock.wait(durationMs, mine.signal).then(
        () => {
          log.level = usual;
          log.warn({ level: usual }, "the level of the log is the usual one again");
        },
        () => undefined, // another command has set it
      );
      return done({ asked: level, read_back: log.level, before, until: iso(clock.now() + durationMs) });
    },
  };
}
