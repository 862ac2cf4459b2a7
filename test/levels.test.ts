// Which tests run when: the levels, the tests of a change, and the table of costs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chooseWithin } from "../scripts/test/changed.ts";
import { CostMeter, costsIn, costTable, costVariable } from "../scripts/test/cost.ts";
import { gateConfig, gateTests, longConfig, longTests } from "../scripts/test/levels.ts";
import { allLongFiles, filesOf, longParts } from "../scripts/test/long-parts.ts";
import { rootFolder } from "../src/main/folders.ts";

test("[RUN6] every test file belongs to npm test or to exactly one part of the long run", () => {
  const all = globSync("test/**/*.test.ts", { cwd: rootFolder, exclude: [...longTests.exclude] }).toSorted();
  const gate = globSync([...gateTests.unit, ...gateTests.programs], { cwd: rootFolder, exclude: [...gateTests.exclude] });
  const ofParts = longParts.filter(({ config }) => config === longConfig).flatMap((part) => filesOf(part));
  expect([...gate, ...ofParts].toSorted()).toEqual(all);
  expect(ofParts.toSorted()).toEqual(allLongFiles());
});

test("[RUN6] the parts on PostgreSQL run tests of npm test", () => {
  for (const part of longParts.filter(({ config }) => config === gateConfig)) {
    expect(filesOf(part).length, part.name).toBeGreaterThan(50);
    expect(filesOf(part).filter((file) => file.includes(".long."))).toEqual([]);
  }
});

const dependents = new Map([
  ["src/a.ts", [{ test: "test/a.test.ts", distance: 1 }, { test: "test/service.test.ts", distance: 3 }, { test: "test/far.test.ts", distance: 5 }]], // prettier-ignore
  ["src/b.ts", [{ test: "test/far.test.ts", distance: 2 }]],
  ["test/slow.test.ts", [{ test: "test/slow.test.ts", distance: 0 }]],
]);
const costs = new Map([["test/a.test.ts", 2], ["test/service.test.ts", 20], ["test/far.test.ts", 4], ["test/slow.test.ts", 500]]); // prettier-ignore
const choose = (changed: readonly string[], budget: number) => chooseWithin(changed, dependents, (name) => costs.get(name)!, budget);

test("[RUN4] npm test -- --changed runs the nearest tests of a change, as many as take 90 seconds, and counts the others", () => {
  expect(choose(["src/a.ts"], 100)).toEqual({ files: ["test/a.test.ts", "test/service.test.ts", "test/far.test.ts"], leftOut: 0 });
  expect(choose(["src/a.ts"], 10)).toEqual({ files: ["test/a.test.ts", "test/far.test.ts"], leftOut: 1 });
  expect(choose(["src/a.ts", "src/b.ts"], 7)).toEqual({ files: ["test/a.test.ts", "test/far.test.ts"], leftOut: 1 });
  expect(choose(["README.md"], 100)).toEqual({ files: [], leftOut: 0 });
});

test("[RUN4] a test file that was itself changed always runs", () => {
  expect(choose(["test/slow.test.ts"], 10)).toEqual({ files: ["test/slow.test.ts"], leftOut: 0 });
});

test("[RUN7] the table of costs can be read again, the most expensive first", () => {
  const files = new Map([[join(rootFolder, "test/a.test.ts"), 1.25], [join(rootFolder, "test/b/c.test.ts"), 30]]); // prettier-ignore
  const table = costTable({ files, rest: 12 });
  expect([...costsIn(table)]).toEqual([["test/b/c.test.ts", 30], ["test/a.test.ts", 1.3]]); // prettier-ignore
  // Aligned, as `npm run check` wants it.
  expect(table.split("\n").slice(-5)).toEqual([
    "| file               | CPU seconds |",
    "| ------------------ | ----------: |",
    "| `test/b/c.test.ts` |        30.0 |",
    "| `test/a.test.ts`   |         1.3 |",
    "",
  ]);
});

test("[RUN7] the CPU time of a test file's worker and of the programs that it started and ended is counted for that file", async () => {
  using meter = new CostMeter();
  const burn = "const { cpuUsage } = process; while (cpuUsage().user < 2e5) for (let count = 0; count < 1e7; count += 1);";
  const code = `require("node:child_process").execFileSync(process.execPath, ["-e", ${JSON.stringify(burn)}]); ${burn}`;
  const worker = spawn(process.execPath, ["-e", `process.stdin.once("data", () => { ${code} process.exit(); })`]);
  writeFileSync(join(process.env[costVariable]!, String(worker.pid)), "/x/test/one.test.ts");
  // The meter has to see the worker while it runs, and then at its end.
  meter.sample();
  worker.stdin.write("go");
  await once(worker, "exit");
  const { files } = meter.end();
  expect(files.get("/x/test/one.test.ts")).toBeGreaterThan(0.35);
});

test("[RUN7] a program that ends together with the one that started it is counted once", async () => {
  using meter = new CostMeter();
  const burn = "const { cpuUsage } = process; while (cpuUsage().user < 6e5) for (let count = 0; count < 1e7; count += 1);";
  const program = `${burn} process.stdout.write(JSON.stringify(cpuUsage())); process.stdin.once("data", () => process.exit());`;
  // A shell between the two waits for the program, and ends when it does.
  const shell = ["-c", `"$0" -e "$1"; exit 0`, process.execPath, program];
  const worker = spawn(process.execPath, [
    "-e",
    `require("node:child_process").spawnSync("/bin/sh", ${JSON.stringify(shell)}, { stdio: "inherit" })`,
  ]);
  writeFileSync(join(process.env[costVariable]!, String(worker.pid)), "/x/test/one.test.ts");
  const [used] = await once(worker.stdout.setEncoding("utf8"), "data");
  meter.sample();
  worker.stdin.write("go");
  await once(worker, "exit");
  const { user, system } = JSON.parse(used as string) as NodeJS.CpuUsage;
  expect(meter.end().files.get("/x/test/one.test.ts")).toBeLessThan((2 * (user + system)) / 1e6);
});
