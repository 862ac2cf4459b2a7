// How the tests run: real browsers share two cores, so files with browsers run one after the other.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/{base,main,protocol,player,service}/**/*.test.ts", "test/*.test.ts"],
          testTimeout: 20_000,
          // Also on two cores, of which Vitest would leave one free.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "browser",
          include: [process.env["SIGNAGE_LONG"] === "1" ? "test/long/**/*.test.ts" : "test/{renderer,host,system}/**/*.test.ts"],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
