// Which writes may be tried, and how REST asks for it. The door runs and undoes them.
import { z } from "zod";
import { isRead, type Operation } from "../operations/operation.ts";

/** Whether an operation may be tried: every write of an operator but uploads in parts, which write as their bytes come. */
export function supportsDryRun(each: Operation): boolean {
  return each.caller === "operator" && !isRead(each) && each.stream === undefined;
}

const dryRun = z
  .enum(["true", "false"])
  .optional()
  .describe("`true`: answers as if it were done, with `Dry-Run: true`, and changes nothing. No Idempotency-Key is used up");

/** The query that an operation takes over REST; undefined: none that is looked at. */
export function queryOf(each: Operation): z.ZodType | undefined {
  if (!supportsDryRun(each)) return each.query;
  if (each.query === undefined) return z.looseObject({ dry_run: dryRun });
  if (!(each.query instanceof z.ZodObject)) throw new TypeError(`the query of ${each.name} must be an object`);
  return each.query.extend({ dry_run: dryRun });
}
