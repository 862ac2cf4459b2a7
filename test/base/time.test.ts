import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dayMs, iso } from "../../src/base/time.ts";
import { rootFolder } from "../../src/main/folders.ts";

test("[TUN1] an instant is written in ISO 8601 with milliseconds; null stays null", () => {
  expect(iso(dayMs + 1)).toBe("1970-01-02T00:00:00.001Z");
  expect(iso(null)).toBe(null);
});

test("[TUN2] src and renderer take the units of time from src/base/time.ts", () => {
  const ownUnit =
    /\b(3_?600_?000|86_?400_?000|604_?800_?000)\b|[*/%] 60_?000\b|\b60_?000 [*/%]|\b60 \* 1_?000\b|const (second|minute|hour|day)Ms\b/;
  const files = globSync("{src,renderer}/**/*.{ts,tsx}", { cwd: rootFolder }).filter((file) => file !== "src/base/time.ts");
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.filter((file) => ownUnit.test(readFileSync(join(rootFolder, file), "utf8")))).toEqual([]);
});
