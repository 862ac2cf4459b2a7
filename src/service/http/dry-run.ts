// Which writes can run as a dry run, and the REST query field that asks for one.
import { z } from "zod";
import { isRead, type Operation } from "../operations/operation.ts";

/** True if an operation supports dry runs: every write of an operator except resumable uploads, which write while bytes arrive. */
export function supportsDryRun(each: Operation): boolean {
  return each.caller === "operator" && !isRead(each) && each.stream === undefined;
}

const dryRun = z
  .enum(["true", "false"])
  .optional()
  .describe("`true`: responds as if the write were done, with `Dry-Run: true`, but changes nothing and uses up no Idempotency-Key");

/** The query schema of an operation over REST; undefined if its query is ignored. */
export function queryOf(each: Operation): z.ZodType | undefined {
  if (!supportsDryRun(each)) return each.query;
  if (each.query === undefined) return z.looseObject({ dry_run: dryRun });
  if (!(each.query instanceof z.ZodObject)) throw new TypeError(`the query of ${each.name} must be an object`);
  return each.query.extend({ dry_run: dryRun });
}
