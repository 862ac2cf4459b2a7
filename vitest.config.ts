// How the tests run: real browsers share two cores, so files that look at frames or times run one after the other.
import { defineConfig } from "vitest/config";
import { browserlessTests } from "./scripts/test/fast.ts";

const isLong = process.env["SIGNAGE_LONG"] === "1";
// Whole programs that wait more than they work, and pages of which no moment is judged: two at a time. None of them builds the page, which others need meanwhile.
const patient = [
  "test/host/{local,sites}.test.ts",
  "test/renderer/{screens,items/{bad-input,feed-items,legible,pdf-items,still-items},stage/{walls,zones}}.test.ts",
  "test/system/{agent,bundle,demo,electron,journal,page,problems,reclaim,recovery,schedule,site-data,trust,whole-path}.test.ts",
];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: browserlessTests,
          testTimeout: 20_000,
          // Also on two cores, of which Vitest would leave one free.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "browser",
          include: [isLong ? "test/long/**/*.test.ts" : "test/{renderer,host,system}/**/*.test.ts"],
          exclude: patient,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "programs",
          include: isLong ? [] : patient,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
