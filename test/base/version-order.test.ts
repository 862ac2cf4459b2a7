// The order of versions.
import { expect, test } from "vitest";
import { compareVersions } from "../../src/base/version-order.ts";

test("[UPD2] versions have the order of SemVer 2.0, pre-releases before their release", () => {
  const ordered = [
    "0.9.12",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.2.0",
    "1.10.0",
    "2.0.0-1",
    "2.0.0-a-b",
    "2.0.0",
  ];
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered);
  expect(compareVersions("1.4.0", "1.4.0")).toBe(0);
});
