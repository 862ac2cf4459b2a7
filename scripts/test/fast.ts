// Selects the test files of `npm test -- --fast`: quick ones that need no browser and start no program.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";

/** The test files of the source folders that need no browser. */
export const testsInFolders = "test/{base,launcher,main,package,protocol,scale,schedule,player,service}/**/*.test.ts";

/** All test files that need no browser; vitest.config.ts runs them as the project "unit". */
export const browserlessTests = [testsInFolders, "test/*.test.ts", "test/console/*/model/*.test.ts"];

/** Tests that only SIGNAGE_LONG=1 runs. */
export const longTests = "test/**/*.long.test.ts";

// Files that take more than four seconds each, measured on two idle cores.
const slowTests = [
  "test/player/content/feeds.test.ts",
  "test/schedule/schedule-properties.test.ts",
  "test/service/content/assets.test.ts",
  "test/service/content/content.test.ts",
  "test/service/content/imports.test.ts",
  "test/service/events/subscriptions.test.ts",
  "test/service/fleet/device.test.ts",
  "test/service/fleet/pairing.test.ts",
  "test/service/fuzz/fuzz.test.ts",
  "test/service/fuzz/privilege-escalation.test.ts",
  "test/service/http/limits.test.ts",
  "test/service/mcp/mcp-toolsets.test.ts",
  "test/service/mcp/mcp.test.ts",
  "test/service/people/foreign-ids.test.ts",
  "test/service/people/team-isolation.test.ts",
  "test/service/people/tokens.test.ts",
  "test/service/schedule/schedule-targets.test.ts",
  "test/service/schedule/schedule-times.test.ts",
  "test/service/schedule/schedules.test.ts",
  "test/service/schedule/shows.test.ts",
  "test/service/store/retention.test.ts",
];

/**
 * The files of a fast run, and how many test files of a full run it leaves out.
 * @throws Error when a file in the list of slow ones does not exist: a renamed file would be taken for a quick one.
 */
export function chooseFastTests(): { files: string[]; leftOut: number } {
  const all = globSync("test/**/*.test.ts", { cwd: rootFolder, exclude: ["test/long/**", longTests] });
  const gone = slowTests.filter((path) => !all.includes(path));
  if (gone.length > 0) throw new Error(`scripts/test/fast.ts lists test files that do not exist: ${gone.join(", ")}`);
  const files = globSync(browserlessTests, { cwd: rootFolder, exclude: [longTests] }).filter(
    (path) => !slowTests.includes(path) && !startsProgram(path),
  );
  return { files: files.toSorted(), leftOut: all.length - files.length };
}

/** Whether the file starts another process: one of our programs, a bundler, or any other. */
function startsProgram(path: string): boolean {
  const text = readFileSync(join(rootFolder, path), "utf8");
  return /"node:child_process"|support\/(?:bundled-programs|programs\/)/.test(text);
}
