// A program that runs Vitest as `npm test` does: run-vitest.ts FOLDER runs the tests of a folder.
import { runVitest } from "../../../scripts/test/run-vitest.ts";

await runVitest(["--root", process.argv[2]!]);
