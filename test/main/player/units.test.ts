// The units in deploy/, with this checkout in place of /opt/signage-player, as this machine's systemd reads them.
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rootFolder } from "../../../src/main/folders.ts";
import { temporaryFolder } from "../../support/folder.ts";

const names = ["signage-player.service", "signage-service.service"];
const analyze = (...argv: string[]) => spawnSync("systemd-analyze", argv, { encoding: "utf8" });
// Without a running systemd since version 250.
const version = Number(/^systemd (\d+)/.exec(analyze("--version").stdout ?? "")?.[1] ?? 0);

test.skipIf(version < 250)("[SYD3] systemd accepts the units, and their exposure is at most 4.0", async () => {
  await using folder = await temporaryFolder();
  // The compositor is not installed on test machines, so its unit is only read.
  for (const name of [...names, "signage-session.service"]) {
    const unit = await readFile(join(rootFolder, "deploy", name), "utf8");
    await writeFile(join(folder.path, name), unit.replaceAll("/opt/signage-player", rootFolder).replaceAll("/usr/bin/labwc", "/bin/true"));
  }
  const units = names.map((name) => join(folder.path, name));
  const { status, stderr } = analyze("verify", "--man=no", ...units);
  expect([status, stderr]).toEqual([0, ""]);
  for (const unit of units) {
    const security = analyze("security", "--offline=true", "--threshold=40", "--no-pager", unit);
    expect(security.status, security.stdout.split("\n").at(-2)).toBe(0);
  }
});

test("[SYD3] the player's unit expects the reports that the player sends", async () => {
  const unit = await readFile(join(rootFolder, "deploy/signage-player.service"), "utf8");
  for (const line of ["Type=notify", "NotifyAccess=all", "WatchdogSec=60", "Restart=always"]) expect(unit.split("\n")).toContain(line);
});
