// A program that runs Vitest as `npm test` does: run-vitest.ts FOLDER runs the tests of a folder.
import { join } from "node:path";
import { runVitest } from "../../../scripts/test/run-vitest.ts";

const folder = process.argv[2]!;
await runVitest(["--root", folder], join(folder, "report.json"));
