// Which test files belong to which level: those of `npm test`, and those of `npm run test:long`.

/** Vitest's settings for the tests of `npm test`. */
export const gateConfig = "config/vitest.gate.ts";
/** Those of `npm run test:long`. */
export const longConfig = "config/vitest.long.ts";

/** Files by what their tests start, as patterns from the root. */
export interface TestFiles {
  unit: readonly string[];
  /** Browsers or built programs. */
  programs: readonly string[];
  exclude: readonly string[];
}

/** The test files of the folders that need no browser; `npm run mutate` runs those that import what it changes. */
export const testsInFolders = "test/{base,launcher,main,package,playback,protocol,scale,schedule,player,service}/**/*.test.ts";

/** Files that only `npm run test:long` runs, beside the code that they test. */
export const longFiles = "test/**/*.long.test.ts";

// test/long has packages of its own.
const packages = "**/node_modules/**";

const unit = [testsInFolders, "test/*.test.ts", "test/console/*/model/*.test.ts"];

export const gateTests: TestFiles = {
  unit,
  programs: ["test/{console,host,renderer,system}/**/*.test.ts"],
  exclude: [longFiles, packages],
};

export const longTests: TestFiles = {
  unit: unit.map((path) => path.replace(".test.ts", ".long.test.ts")),
  programs: ["test/{console,host,renderer,system}/**/*.long.test.ts", "test/long/**/*.test.ts"],
  exclude: [packages],
};
