// The report of setup to the player about the newest signage.toml, for the screen.
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { hasErrorCode, reasonOf } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";

/** The report that setup writes, and the player reads. */
export const SetupReport = z.object({ problem: z.string().nullable() });

/** The problem with the newest signage.toml; null when there is none, or when the report cannot be read. */
export async function readSetupProblem(path: string, log: Log): Promise<string | null> {
  try {
    return SetupReport.parse(JSON.parse(await readFile(path, "utf8"))).problem;
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) log.warn({ reason: reasonOf(error) }, "setup's report cannot be read");
    return null;
  }
}
