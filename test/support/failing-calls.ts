// Makes the disk of a real program fail from outside, by a library that is preloaded into it: `failing-calls.c`.
import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

type Call = "reads" | "writes";

export interface FailingCalls {
  /** The environment of the program. */
  env: Record<string, string>;
  /** From now on these calls fail with EIO. */
  fail(...calls: Call[]): Promise<void>;
  heal(): Promise<void>;
}

/** Compiles the library with gcc. @param work a folder for it. @param folder the absolute path of the folder whose files are concerned. */
export async function failingCalls(work: string, folder: string): Promise<FailingCalls> {
  const library = join(work, "failing-calls.so");
  const switches: Record<Call, string> = { reads: join(work, "reads-fail"), writes: join(work, "writes-fail") };
  const source = join(import.meta.dirname, "failing-calls.c");
  await promisify(execFile)("gcc", ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source, "-ldl"]);
  return {
    env: { LD_PRELOAD: library, FAILING_FOLDER: `${folder}/`, FAILING_READS: switches.reads, FAILING_WRITES: switches.writes },
    fail: async (...calls) => void (await Promise.all(calls.map((call) => writeFile(switches[call], "")))),
    heal: async () => void (await Promise.all(Object.values(switches).map((path) => rm(path, { force: true })))),
  };
}
