// Plants tests in a copy of the tree and runs the linter on them: what depends on the machine's speed is refused.
import { expect, test } from "vitest";
import { lintPlanted } from "./support/lint.ts";

const refused = [
  `await page.waitForFunction("document.hidden");`,
  "await page.waitForFunction(`document.hidden`);",
  `await page.waitForTimeout(300);`,
  `import { setTimeout as wait } from "node:timers/promises";`,
  `await new Promise((resolve) => setTimeout(resolve, 50));`,
  `const from = performance.now();`,
  `expect(Date.now() - from).toBeLessThan(5);`,
  `await expect.poll(() => seen, { timeout: 20_000 }).toBe(1);`,
  `await server.waitForMessage("presented", all, { timeoutMs: 20_000 });`,
  `await waitUntil("it ends", ended, { limitMs: 5_000 });`,
  `await waitUntil("it ends", ended, 5_000);`,
  `test("waits", async () => {}, 60_000);`,
  `vi.setConfig({ testTimeout: 60_000 });`,
  `vi.setConfig({ hookTimeout: 60_000 });`,
  `vi.setConfig({ timeout: 1 });`,
];
const accepted = [
  `await page.waitForFunction(() => document.hidden);`,
  `clock.setTimeout(run, 50);`,
  `const at = new Date(Date.now() - 60_000);`,
  `const yesterday = Date.now() - dayMs;`,
  `await expect.poll(() => seen).toBe(1);`,
  `await expect.poll(() => seen, { timeout: 900_000 }).toBe(1);`,
  `const player = start({ timeoutMs: 500 });`,
];

/** Which lines the linter refuses in a file of this name. */
async function refusedIn(file: string): Promise<string[]> {
  const lines = [...refused, ...accepted];
  const files = new Map(lines.map((line, index) => [file.replace("N", String(index)), line]));
  const complaints = (await lintPlanted(files)).filter(({ code }) => code === "signage(machine-speed)").map(({ filename }) => filename);
  return [...files].filter(([path]) => complaints.includes(path)).map(([, line]) => line);
}

test("[RUN2] the linter refuses sleeps, time limits, the real clock and strings for waitForFunction in a test, and accepts the rest", async () => {
  expect(await refusedIn("test/system/planted-N.test.ts")).toEqual(refused);
});

test("[RUN2] long tests and the benchmarks may judge real time", async () => {
  expect(await refusedIn("test/system/planted-N.long.test.ts")).toEqual([]);
  expect(await refusedIn("test/long/planted-N.test.ts")).toEqual([]);
  expect(await refusedIn("bench/planted-N.ts")).toEqual([]);
});
