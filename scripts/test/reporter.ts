// A Vitest reporter: writes the report for scripts/test.ts to the file that SIGNAGE_TEST_REPORT names.
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";
import { rootFolder } from "../../src/main/folders.ts";
import type { Run } from "./outcome.ts";

export default class FileReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const report: Run["report"] = {
      files: modules.map((module) => ({
        path: relative(rootFolder, module.moduleId),
        tests: [...module.children.allTests()].map((test) => ({ title: test.fullName, state: stateOf(test) })),
        errors: errorsIn(module) + unhandled.filter((error) => error["VITEST_TEST_PATH"] === module.moduleId).length,
      })),
      errors: unhandled.filter((error) => modules.every(({ moduleId }) => moduleId !== error["VITEST_TEST_PATH"])).length,
    };
    const path = process.env["SIGNAGE_TEST_REPORT"];
    if (path === undefined) throw new Error("SIGNAGE_TEST_REPORT has to name the file for the report: run the tests by `npm test`");
    writeFileSync(path, JSON.stringify(report));
  }
}

function stateOf(test: TestCase): "passed" | "failed" | "skipped" {
  const { state } = test.result();
  // A test that is still pending at the end was never started.
  return state === "pending" ? "skipped" : state;
}

/** The number of failed imports and hooks. */
function errorsIn(module: TestModule): number {
  return [...module.children.allSuites()].reduce((sum, suite) => sum + suite.errors().length, module.errors().length);
}
