// The environment by which a launcher tells the player that it started it.
import { expect, test } from "vitest";
import { readLauncherOptions } from "../../../src/main/player/launcher-options.ts";

const facts = { architecture: "arm64", memoryBytes: 2 ** 30, browserExecutable: "/usr/lib/chromium/chromium" };
const env = { SIGNAGE_LAUNCHER_STATUS: "/run/signage-launcher/status.json", SIGNAGE_UPDATES: "/var/lib/signage-player/updates" };

test("[UPD31] the player knows its launcher by the environment; without one it does nothing about releases", () => {
  expect(readLauncherOptions({ SIGNAGE_HEALTH: "/run/signage-player/health.json" }, facts)).toBeNull();
  expect(readLauncherOptions(env, facts)).toEqual({
    statusFile: env.SIGNAGE_LAUNCHER_STATUS,
    updatesFolder: env.SIGNAGE_UPDATES,
    rootFile: null,
    healthFile: null,
    architecture: "arm64",
    browserExecutable: "/usr/lib/chromium/chromium",
    memoryBudgetBytes: 0.75 * 2 ** 30,
  });
  const all = { ...env, SIGNAGE_RELEASE_ROOT: "/etc/signage-player/root.json", SIGNAGE_HEALTH: "/run/signage-player/health.json" };
  const large = readLauncherOptions(all, { ...facts, architecture: "x64", memoryBytes: 64 * 2 ** 30 });
  expect(large).toMatchObject({ architecture: "amd64", memoryBudgetBytes: 4 * 2 ** 30, rootFile: all.SIGNAGE_RELEASE_ROOT });
  expect(readLauncherOptions(env, { ...facts, architecture: "riscv64" })!.architecture).toBeNull();
  const part = { SIGNAGE_LAUNCHER_STATUS: env.SIGNAGE_LAUNCHER_STATUS, SIGNAGE_HEALTH: "health.json" };
  expect(() => readLauncherOptions(part, facts)).toThrow(/SIGNAGE_UPDATES: must be an absolute path; SIGNAGE_HEALTH: must be/);
});
