// How a program ends by errors that nobody handles.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rootFolder } from "../../src/main/folders.ts";

/** Runs a program with an unhandled rejection. */
function runWith(code: string): Promise<{ exitCode: number; output: string }> {
  const program = join(rootFolder, "test/support/programs/unhandled.ts");
  return new Promise((resolve) => {
    execFile(process.execPath, [program, code], (error, output) => resolve({ exitCode: Number(error?.code ?? 0), output }));
  });
}

test.each([
  ["store-unavailable", 0, "an error of the database was not handled"],
  ["store-refused", 0, "an error of the database was not handled"],
  ["store-changed", 1, "nobody waits for this"],
  ["protocol", 1, "nobody waits for this"],
])("[DBE13] after an unhandled %s a program exits with %i, and says why", async (code, exitCode, message) => {
  const run = await runWith(code);
  expect(run.exitCode).toBe(exitCode);
  expect(run.output).toContain(message);
  expect(run.output).toContain("nobody waits for this");
});
