// The units in deploy/, with this checkout in place of /opt/signage-player, as this machine's systemd reads them.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
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

test("[SYD5] the compositor's unit starts the player", async () => {
  const unit = await readFile(join(rootFolder, "deploy/signage-player.service"), "utf8");
  expect(/^WantedBy=(.+)$/m.exec(unit)![1]!.split(" ")).toEqual(["multi-user.target", "signage-session.service"]);
});

test("[SYD3] the player's unit expects the reports that the player sends", async () => {
  const unit = await readFile(join(rootFolder, "deploy/signage-player.service"), "utf8");
  for (const line of ["Type=notify", "NotifyAccess=all", "WatchdogSec=60", "Restart=always"]) expect(unit.split("\n")).toContain(line);
});

const masters = "/usr/share/base-passwd";

test.skipIf(version < 250 || !existsSync(masters))("[SYD4] the users and groups of the units exist on the smallest Debian", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "etc"));
  // All that a system without further packages has.
  for (const name of ["passwd", "group"]) await copyFile(join(masters, `${name}.master`), join(folder.path, "etc", name));
  const { status, stderr } = spawnSync("systemd-sysusers", [`--root=${folder.path}`, join(rootFolder, "deploy/sysusers.conf")], {
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
  const [users, groups] = await Promise.all(["passwd", "group"].map((name) => namesIn(join(folder.path, "etc", name))));
  for (const name of [...names, "signage-session.service"]) {
    const unit = await readFile(join(rootFolder, "deploy", name), "utf8");
    expect(users).toContain(/^User=(.+)$/m.exec(unit)![1]);
    expect(groups).toEqual(expect.arrayContaining(/^SupplementaryGroups=(.+)$/m.exec(unit)?.[1]?.split(" ") ?? []));
  }
});

/** The names in a file like /etc/group. */
async function namesIn(path: string): Promise<string[]> {
  return (await readFile(path, "utf8")).split("\n").map((line) => line.split(":")[0]!);
}
