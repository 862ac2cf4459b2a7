// The units in packaging/, with stand-ins for what the packages install, as this machine's systemd reads them.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rootFolder } from "../../../src/main/folders.ts";
import { temporaryFolder } from "../../support/folder.ts";

const player = join(rootFolder, "packaging/player");
const service = join(rootFolder, "packaging/service");
/** The units that are judged by their exposure. */
const exposed = ["signage-player.service", "signage-rotation.service", "signage-service.service", "signage-backup.service"];
const names = [
  ...exposed,
  "signage-launcher.service",
  "signage-session.service",
  "signage-session-failed.service",
  "signage-sound@.service",
  "signage-setup.service",
  "signage-usb@.service",
  "signage-backup.timer",
];
const analyze = (...argv: string[]) => spawnSync("systemd-analyze", argv, { encoding: "utf8" });
// Without a running systemd since version 250.
const version = Number(/^systemd (\d+)/.exec(analyze("--version").stdout ?? "")?.[1] ?? 0);

/** The words of all settings named `key`; a command is one word. */
function valuesOf(unit: string, key: string): string[] {
  const lines = unit.split("\n").flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));
  return key.startsWith("Exec") ? lines : lines.flatMap((line) => line.split(" "));
}

async function readUnit(name: string): Promise<string> {
  const folder = (await readdir(join(player, "units"))).includes(name) ? player : service;
  return readFile(join(folder, "units", name), "utf8");
}

test("[SYD3] no unit of packaging is left out of these tests", async () => {
  const found = await Promise.all([player, service].map((folder) => readdir(join(folder, "units"))));
  expect(found.flat().toSorted()).toEqual(names.toSorted());
});

test.skipIf(version < 250)("[SYD3] systemd accepts the units, and their exposure is at most 4.0", async () => {
  await using folder = await temporaryFolder();
  // Neither the packages nor the compositor are installed on test machines. The folders exist everywhere.
  for (const name of names) {
    const unit = (await readUnit(name)).replaceAll(/\/usr\/(lib\/signage|bin\/(signage|labwc|%i))[^\s"]*/g, "/bin/true");
    await writeFile(join(folder.path, name), unit.replace(/^WorkingDirectory=.*$/m, "").replaceAll(/^Documentation=man:.*$/gm, ""));
  }
  const { status, stderr } = analyze("verify", "--man=no", ...names.map((name) => join(folder.path, name)));
  expect([status, stderr]).toEqual([0, ""]);
  for (const name of exposed) {
    const security = analyze("security", "--offline=true", "--threshold=40", "--no-pager", join(folder.path, name));
    expect(security.status, security.stdout.split("\n").at(-2)).toBe(0);
  }
});

test("[SYD5] the compositor's unit starts the player, so that a compositor that failed at first does not keep it from starting", async () => {
  const starts = "systemctl start --no-block signage-player.service";
  expect(valuesOf(await readUnit("signage-session.service"), "ExecStartPost").filter((command) => command.includes(starts))).toHaveLength(
    1,
  );
});

test("[SYD6] a unit that is restarted asks, by what it wants, for no start of its own, so that RestartSec holds", async () => {
  const texts = new Map(await Promise.all(names.map(async (name) => [name, await readUnit(name)] as const)));
  const requests = (name: string): string[] => {
    const own = ["Wants", "Requires", "BindsTo", "Upholds"].flatMap((key) => valuesOf(texts.get(name) ?? "", key));
    // `systemctl enable` links what is to be installed with this unit into its Wants= and Requires=.
    const installed = [...texts].filter(([, text]) => ["WantedBy", "RequiredBy"].some((key) => valuesOf(text, key).includes(name)));
    return [...own, ...installed.map(([other]) => other)];
  };
  const restarted = [...texts].filter(([, text]) => valuesOf(text, "Restart").includes("always")).map(([name]) => name);
  expect(restarted).toContain("signage-session.service");
  for (const name of restarted) {
    const found = new Set<string>();
    const visit = (from: string): void => {
      for (const other of requests(from).filter((each) => !found.has(each))) visit((found.add(other), other));
    };
    visit(name);
    expect([...found], name).not.toContain(name);
  }
});

test("[SYD3] the player's unit expects the reports that the player sends", async () => {
  const unit = await readUnit("signage-player.service");
  for (const line of ["Type=notify", "NotifyAccess=all", "WatchdogSec=60", "Restart=always"]) expect(unit.split("\n")).toContain(line);
});

const masters = "/usr/share/base-passwd";

test.skipIf(version < 250 || !existsSync(masters))("[SYD4] the users and groups of the units exist on the smallest Debian", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "etc"));
  // All that a system without further packages has.
  for (const name of ["passwd", "group"]) await copyFile(join(masters, `${name}.master`), join(folder.path, "etc", name));
  const files = [join(player, "system/sysusers.conf"), join(service, "sysusers.conf")];
  const { status, stderr } = spawnSync("systemd-sysusers", [`--root=${folder.path}`, ...files], { encoding: "utf8" });
  expect(status, stderr).toBe(0);
  const [users, groups] = await Promise.all(["passwd", "group"].map((name) => namesIn(join(folder.path, "etc", name))));
  for (const name of names) {
    const unit = await readUnit(name);
    expect(users).toContain(/^User=(.+)$/m.exec(unit)?.[1] ?? "root");
    expect(groups).toEqual(expect.arrayContaining(/^SupplementaryGroups=(.+)$/m.exec(unit)?.[1]?.split(" ") ?? []));
  }
});

/** The names in a file like /etc/group. */
async function namesIn(path: string): Promise<string[]> {
  return (await readFile(path, "utf8")).split("\n").map((line) => line.split(":")[0]!);
}
