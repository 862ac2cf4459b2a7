// Vitest's settings. Real browsers share two cores, so files that judge frames or times run one at a time.
import { defineConfig } from "vitest/config";
import { browserlessTests } from "./scripts/test/fast.ts";

const isLong = process.env["SIGNAGE_LONG"] === "1";
// Tests that mostly wait, or judge no single moment of a page: several at a time.
const patient = [
  "test/host/{local,sites}.test.ts",
  "test/renderer/{screens,items/{bad-input,feed-items,legible,pdf-items,still-items},stage/{walls,zones}}.test.ts",
  "test/system/{agent,bundle,demo,electron,engine,entry,journal,pack,page,problems,proof-of-play,reclaim,recovery,schedule}.test.ts",
  "test/system/{site-data,terminal,trust,whole-path,workers}.test.ts",
];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: browserlessTests,
          testTimeout: 20_000,
          // On two cores Vitest would use only one worker.
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
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
