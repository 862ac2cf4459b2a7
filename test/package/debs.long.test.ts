// The Debian packages, built from a small application: reproducible, complete, and with the right control fields.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { packBundle, writeApplication } from "../../scripts/package/application.ts";
import { debianVersion } from "../../scripts/package/deb.ts";
import { buildPlayerDeb } from "../../scripts/package/player-package.ts";
import { buildServiceDeb } from "../../scripts/package/service-package.ts";
import { Architecture, ReleaseManifest } from "../../src/protocol/device/updates.ts";
import { isInstalled } from "../support/is-installed.ts";
import { temporaryFolder } from "../support/folder.ts";
import { buildOptions, stubParts } from "./stub-application.ts";

const canBuild = isInstalled("dpkg-deb");
const dpkg = (...argv: string[]): string => execFileSync("dpkg-deb", argv, { encoding: "utf8" });

/** Builds both packages. @returns their paths. */
async function build(folder: string, architecture: Architecture, options = buildOptions): Promise<{ player: string; service: string }> {
  const parts = await stubParts(join(folder, "parts"));
  const application = join(folder, "application");
  await mkdir(application);
  writeApplication(application, architecture, options.version, parts);
  const [work, output] = [join(folder, "work"), join(folder, "output")];
  const player = buildPlayerDeb(architecture, { application, launcher: parts.launcher }, options, work, output);
  return { player, service: buildServiceDeb(architecture, application, options, work, output) };
}

test.skipIf(!canBuild)("[DEB1] packages and bundles that are built twice are identical", { timeout: 120_000 }, async () => {
  const hashes = await Promise.all(
    [0o022, 0o077].map(async (mask) => {
      await using folder = await temporaryFolder();
      // Neither the folder, nor the user's file mode mask, nor the time may matter.
      const before = process.umask(mask);
      try {
        const { player, service } = await build(folder.path, "arm64");
        const paths = [player, service];
        if (isInstalled("zstd")) paths.push(packBundle(join(folder.path, "application"), "arm64", buildOptions, folder.path));
        const contents = await Promise.all(paths.map((path) => readFile(path)));
        return contents.map((bytes, index) => `${basename(paths[index]!)} ${createHash("sha256").update(bytes).digest("hex")}`);
      } finally {
        process.umask(before);
      }
    }),
  );
  expect(hashes[0]).toEqual(hashes[1]);
});

test.skipIf(!canBuild)("[DEB2] the packages state their version, architecture, dependencies and configuration files", async () => {
  await using folder = await temporaryFolder();
  const { player, service } = await build(folder.path, "arm64", { ...buildOptions, version: "2.0.0-rc.1" });
  expect(basename(player)).toBe("signage-player_2.0.0~rc.1_arm64.deb");
  const field = (deb: string, name: string): string => dpkg("--field", deb, name).trim();
  for (const deb of [player, service]) {
    expect(field(deb, "Version")).toBe("2.0.0~rc.1");
    expect(field(deb, "Architecture")).toBe("arm64");
    expect(Number(field(deb, "Installed-Size"))).toBeGreaterThan(0);
    expect(field(deb, "Depends")).toContain("libc6");
  }
  const depends = field(player, "Depends").split(", ");
  for (const name of ["chromium", "labwc", "wlr-randr", "dbus-user-session"]) {
    expect(depends).toContain(name);
  }
  // The player brings its fonts. Those of Debian are for web pages.
  expect(depends.join()).not.toContain("fonts");
  expect(field(player, "Recommends").split(", ")).toEqual(expect.arrayContaining(["fonts-noto-core", "fonts-noto-cjk"]));
  const conffiles = dpkg("--info", player, "conffiles").trim().split("\n");
  expect(conffiles.toSorted()).toEqual(["/etc/apt/apt.conf.d/90signage-player", "/etc/chromium/policies/managed/signage-player.json"]);
  expect(dpkg("--info", service, "conffiles").trim()).toBe("/etc/default/signage-service");
  expect(debianVersion("2.0.0")).toBe("2.0.0");
});

test.skipIf(!canBuild)("[DEB3] everything in the packages belongs to root, and only programs can be executed", async () => {
  await using folder = await temporaryFolder();
  const { player, service } = await build(folder.path, "amd64");
  const executable: string[] = [];
  for (const line of [player, service].flatMap((deb) => dpkg("--contents", deb).trim().split("\n"))) {
    const [mode = "", owner, , , , path = ""] = line.split(/\s+/);
    expect(owner, path).toBe("root/root");
    expect(mode.slice(5, 6) + mode.slice(8, 9), `${path} is writable for others`).toMatch(/^(--|ww)$/);
    if (mode.startsWith("-") && mode.includes("x")) executable.push(path.replace("./usr/", ""));
  }
  expect(executable.toSorted()).toEqual([
    "bin/signage-player",
    "bin/signage-release",
    "bin/signage-service",
    "lib/signage-player/launcher/node",
    "lib/signage-player/session/explain-failure",
    "lib/signage-player/session/rotate",
    "lib/signage-service/backup-and-expire",
    "lib/signage-service/bin/node",
  ]);
});

test.skipIf(!canBuild)(
  "[DEB4] the player's package has a startable application, the launcher, and the trust anchor only if one is given",
  async () => {
    await using folder = await temporaryFolder();
    const root = join(folder.path, "root.json");
    await writeFile(root, "{}");
    const { player } = await build(folder.path, "amd64", { ...buildOptions, root });
    const unpacked = join(folder.path, "unpacked");
    dpkg("--extract", player, unpacked);
    const application = join(unpacked, "usr/lib/signage-player/application");
    const manifest = ReleaseManifest.parse(JSON.parse(await readFile(join(application, "release.json"), "utf8")));
    expect(manifest).toMatchObject({ version: "1.2.3", architecture: "amd64" });
    // Launcher and application share one Node, by a link inside the package.
    expect(await readFile(join(application, "bin/node"), "utf8")).toContain("exit 0");
    expect(await readdir(join(application, "dist/main"))).toEqual(["cli.js"]);
    const launcher = join(unpacked, "usr/lib/signage-player/launcher");
    expect((await readdir(launcher)).toSorted()).toEqual(["launcher.json", "launcher.mjs", "node"]);
    const built = { launcher_version: "1.2.3", built_at: new Date(buildOptions.epoch * 1_000).toISOString() };
    expect(JSON.parse(await readFile(join(launcher, "launcher.json"), "utf8"))).toEqual(built);
    expect(await readFile(join(unpacked, "usr/share/signage-player/root.json"), "utf8")).toBe("{}");
  },
);
