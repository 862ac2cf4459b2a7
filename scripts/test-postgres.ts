// `npm run -s test:postgres -- [18|15|conflicts] [FILTER…]`: the tests of the service on PostgreSQL. 18 (the default) is npm's, 15
// Debian's; `conflicts` makes every second transaction that writes fail at its commit, as a conflict with another node would.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judge, listText } from "./test/outcome.ts";
import { runVitest } from "./test/run-vitest.ts";

const variants: ReadonlyMap<string, Record<string, string>> = new Map([
  ["18", {}],
  ["15", { SIGNAGE_TEST_POSTGRES_VERSION: "15" }],
  ["conflicts", { SIGNAGE_TEST_CONFLICTS: "1" }],
]);

const [first = "18", ...rest] = process.argv.slice(2);
const isVariant = variants.has(first);
Object.assign(process.env, { SIGNAGE_TEST_DATABASE: "postgres" }, variants.get(isVariant ? first : "18"));
const filters = isVariant ? rest : process.argv.slice(2);

const folder = mkdtempSync(join(tmpdir(), "signage-report-"));
try {
  const run = await runVitest(["--project", "unit", ...(filters.length === 0 ? ["test/service"] : filters)], join(folder, "run.json"));
  const { passed, failed, skipped, failures, exitCode } = judge(run);
  process.stdout.write(`${listText("Failed", failures)}\nTests on PostgreSQL: ${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  process.exitCode = exitCode;
} finally {
  rmSync(folder, { recursive: true });
}
