// Makes the reads of a real program fail from outside, by a library that is preloaded into it: `failing-reads.c`.
import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

export interface FailingReads {
  /** The environment of the program. */
  env: Record<string, string>;
  /** From now on reads fail with EIO. */
  fail(): Promise<void>;
  heal(): Promise<void>;
}

/** Compiles the library with gcc. @param work a folder for it. @param folder the absolute path of the folder whose files are concerned. */
export async function failingReads(work: string, folder: string): Promise<FailingReads> {
  const [library, switchFile] = [join(work, "failing-reads.so"), join(work, "reads-fail")];
  const source = join(import.meta.dirname, "failing-reads.c");
  await promisify(execFile)("gcc", ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source, "-ldl"]);
  return {
    env: { LD_PRELOAD: library, FAILING_READS_FOLDER: `${folder}/`, FAILING_READS_SWITCH: switchFile },
    fail: () => writeFile(switchFile, ""),
    heal: () => rm(switchFile),
  };
}
