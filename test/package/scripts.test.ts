// The shell scripts of the packages, run in folders of their own: maintainer scripts, rotation, backup.
import { execFileSync, spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rootFolder } from "../../src/main/folders.ts";
import { temporaryFolder } from "../support/folder.ts";
import { isInstalled } from "../support/is-installed.ts";

const packaging = join(rootFolder, "packaging");

async function writeProgram(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o755);
}

test("[DEB5] the shell scripts are valid, and stop at the first error", async () => {
  const scripts = globSync(["{player,service}/**/*.sh", "{player,service}/debian/*"], { cwd: packaging }).map((path) =>
    join(packaging, path),
  );
  expect(scripts).toHaveLength(12);
  for (const script of scripts) {
    expect(spawnSync("sh", ["-n", script], { encoding: "utf8" }).stderr, script).toBe("");
    expect(await readFile(script, "utf8"), script).toMatch(/^set -e$/m);
  }
  if (isInstalled("shellcheck")) expect(spawnSync("shellcheck", scripts, { encoding: "utf8" }).stdout).toBe("");
});

// The folders that the packages' programs write.
const owned = {
  player: ["var/lib/signage-player", "var/lib/signage-launcher", "var/lib/signage-setup", "etc/signage-player", "run/signage-launcher"],
  service: ["var/lib/signage-service", "var/backups/signage-service"],
};

test.for(["player", "service"] as const)("[DEB6] purging %s deletes its own folders and no others; removing deletes none", async (name) => {
  await using folder = await temporaryFolder();
  const others = ["var/lib/other", "etc/other", "var/backups/other", "run/other"];
  const foreign = Object.values(owned)
    .flat()
    .filter((path) => !owned[name].includes(path));
  for (const path of [...others, ...Object.values(owned).flat()]) {
    await mkdir(join(folder.path, path), { recursive: true });
    await writeFile(join(folder.path, path, "file"), "");
  }
  const left = async (): Promise<string[]> => {
    const files = await readdir(folder.path, { recursive: true });
    return files.filter((path) => path.endsWith("/file")).map((path) => path.slice(0, -"/file".length));
  };
  // dpkg sets DPKG_ROOT when it works on another root folder.
  const run = (argument: string): Buffer =>
    execFileSync("sh", [join(packaging, name, "debian/postrm"), argument], { env: { ...process.env, DPKG_ROOT: folder.path } });
  run("remove");
  expect((await left()).toSorted()).toEqual([...others, ...foreign, ...owned[name]].toSorted());
  run("purge");
  expect((await left()).toSorted()).toEqual([...others, ...foreign].toSorted());
});

test("[DEB7] every output that is not turned yet is turned clockwise by the set angle", async () => {
  await using folder = await temporaryFolder();
  const calls = join(folder.path, "calls");
  const outputs = `HDMI-A-1 "Maker Model"\n  Make: Maker\n  Transform: normal\nDP-2 "Other"\n  Transform: 270\n`;
  const program = `#!/bin/sh\nif [ $# = 0 ]; then printf '%s' '${outputs}'; else echo "$@" >>'${calls}'; fi\n`;
  await writeProgram(join(folder.path, "wlr-randr"), program);
  await writeProgram(join(folder.path, "sleep"), "#!/bin/sh\n");
  const rotate = (rotation?: string) => {
    const env = { PATH: `${folder.path}:${process.env["PATH"]}`, ...(rotation === undefined ? {} : { SIGNAGE_ROTATION: rotation }) };
    return spawnSync("sh", [join(packaging, "player/session/rotate.sh")], { env, encoding: "utf8" });
  };
  const callsOf = async (rotation?: string): Promise<string[]> => {
    await writeFile(calls, "");
    expect(rotate(rotation)).toMatchObject({ status: 0, stderr: "" });
    return [...new Set((await readFile(calls, "utf8")).trim().split("\n"))];
  };
  // wlr-randr counts counterclockwise.
  expect(await callsOf("90")).toEqual(["--output HDMI-A-1 --transform 270"]);
  expect(await callsOf("270")).toEqual(["--output HDMI-A-1 --transform 90", "--output DP-2 --transform 90"]);
  expect(await callsOf()).toEqual(["--output DP-2 --transform normal"]);
  expect(rotate("45")).toMatchObject({ status: 1, stderr: expect.stringContaining("0, 90, 180 or 270") });
});

test("[DSP10] an angle that the player has set in this session counts more than the set one, and touch is mapped to the first output", async () => {
  await using folder = await temporaryFolder();
  const at = (name: string): string => join(folder.path, name);
  const calls = at("calls");
  const outputs = `HDMI-A-1 "Maker Model"\n  Transform: normal\nDP-2 "Other"\n  Transform: 270\n`;
  const program = `#!/bin/sh\nif [ $# = 0 ]; then printf '%s' '${outputs}'; else echo "$@" >>'${calls}'; fi\n`;
  await writeProgram(at("wlr-randr"), program);
  await writeProgram(at("sleep"), "#!/bin/sh\n");
  // It stands for labwc, which reads its configuration again at SIGHUP.
  await writeProgram(at("systemctl"), `#!/bin/sh\necho "$@" >>'${at("asked")}'\necho 0\n`);
  await cp(join(packaging, "player/session/labwc"), at("labwc"), { recursive: true });
  await writeFile(at("signage-rotation"), "270\n");
  const env = { PATH: `${folder.path}:${process.env["PATH"]}`, XDG_RUNTIME_DIR: folder.path, SIGNAGE_ROTATION: "90" };
  const run = () => spawnSync("sh", [join(packaging, "player/session/rotate.sh")], { env, encoding: "utf8" });
  expect(run()).toMatchObject({ status: 0, stderr: "" });
  const said = new Set((await readFile(calls, "utf8")).trim().split("\n"));
  expect([...said]).toEqual(["--output HDMI-A-1 --transform 90", "--output DP-2 --transform 90"]);
  const config = await readFile(at("labwc/rc.xml"), "utf8");
  expect(config).toMatch(/\n {2}<touch mapToOutput="HDMI-A-1"\/>\n<\/labwc_config>/);
  expect(config.match(/<touch/g)).toHaveLength(1);
  // Only a change is told to labwc.
  expect(run()).toMatchObject({ status: 0 });
  expect((await readFile(at("asked"), "utf8")).trim().split("\n")).toEqual(["show --property=MainPID --value signage-session.service"]);
});

test("[DEB8] the nightly backup keeps the newest seven, and touches no other file", async () => {
  await using folder = await temporaryFolder();
  const at = (name: string): string => join(folder.path, name);
  for (const name of ["data", "backups"]) await mkdir(at(name));
  await writeFile(at("data/state.db"), "");
  for (let day = 10; day < 20; day += 1) await writeFile(at(`backups/signage-service-202601${day}T030000Z.tar`), "");
  await writeFile(at("backups/mine.tar"), "");
  await writeProgram(at("backup"), `#!/bin/sh\n[ "$1 $2" = "backup --to" ] && : >"$3"\n`);
  const script = (await readFile(join(packaging, "service/backup-and-expire.sh"), "utf8"))
    .replaceAll("/var/backups/signage-service", at("backups"))
    .replaceAll("/var/lib/signage-service", at("data"))
    .replaceAll("/usr/bin/signage-service", at("backup"));
  execFileSync("sh", ["-c", script]);
  const names = (await readdir(at("backups"))).toSorted();
  expect(names).toHaveLength(8);
  expect(names.slice(0, 2)).toEqual(["mine.tar", "signage-service-20260114T030000Z.tar"]);
});

test("[SYD7] when the display session cannot start, what is missing is named with what to do", async () => {
  await using folder = await temporaryFolder();
  const explain = (...devices: string[]) => {
    const { status, stdout } = spawnSync("sh", [join(packaging, "player/session/explain-failure.sh"), ...devices], { encoding: "utf8" });
    expect(status).toBe(0);
    return stdout;
  };
  const nothing = explain(folder.path);
  expect(nothing).toContain(`there is no console ${folder.path}/tty1`);
  expect(nothing).toContain("--headless");
  expect(nothing).toContain(`no graphics card is ready (${folder.path}/dri/card*)`);
  await mkdir(join(folder.path, "dri"));
  await writeFile(join(folder.path, "dri/card0"), "");
  await symlink("/dev/null", join(folder.path, "tty1"));
  const everything = explain(folder.path);
  expect(everything).not.toContain("no console");
  expect(everything).not.toContain("no graphics card");
  expect(everything).toContain("journalctl --boot --unit=signage-session.service");
});

test("[DEB16] an upgrade removes the link by which earlier versions let the display session want the player", async () => {
  await using folder = await temporaryFolder();
  const wants = join(folder.path, "etc/systemd/system/signage-session.service.wants");
  await mkdir(wants, { recursive: true });
  await symlink("/usr/lib/systemd/system/signage-player.service", join(wants, "signage-player.service"));
  await symlink("/usr/lib/systemd/system/other.service", join(wants, "other.service"));
  const env = { ...process.env, DPKG_ROOT: folder.path, DPKG_MAINTSCRIPT_PACKAGE: "signage-player" };
  spawnSync("sh", [join(packaging, "player/debian/postinst"), "configure", "0.1.0"], { env, encoding: "utf8" });
  expect(await readdir(wants)).toEqual(["other.service"]);
});
