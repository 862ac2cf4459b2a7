// `npm run package`: builds the Debian packages, the application bundles and a signed apt repository (docs/packages.md).
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { isFault, reasonOf } from "../src/base/fault.ts";
import { writeAptRepository } from "./package/apt-repository.ts";
import { buildPackages, buildPrograms, checksumLines } from "./package/build.ts";
import { readOptions } from "./package/options.ts";
import { run, step } from "./package/run-program.ts";

// Warnings fail the check, as errors do. The rest are hints, such as that the package is not in Debian.
const lintianFlags = ["--fail-on=error,warning", "--display-info", "--tag-display-limit=0", "--allow-root"];

try {
  await main();
} catch (error) {
  if (isFault(error, "help-asked")) process.stdout.write(`${error.message}\n`);
  else {
    process.stderr.write(`package: ${reasonOf(error)}\n`);
    process.exitCode = isFault(error, "bad-config") ? 2 : 1;
  }
}

async function main(): Promise<void> {
  const { architectures, build, output, key, twice, lint } = readOptions(process.argv.slice(2));
  const packages = join(output, "packages");
  // Earlier packages stay until these are complete.
  const unfinished = `${packages}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  await step("build programs, page and launcher", () => buildPrograms(build.epoch));
  const files = await buildPackages(architectures, build, join(unfinished, "work"), unfinished, false);
  writeFileSync(join(unfinished, "SHA256SUMS"), checksumLines(files));
  if (twice) {
    const again = mkdtempSync(join(tmpdir(), "signage-package-again-"));
    try {
      await step("second time: build programs, page and launcher", () => buildPrograms(build.epoch));
      const second = await buildPackages(architectures, build, join(again, "work"), join(again, "packages"), true);
      const differing = files.filter(({ sha256 }, index) => sha256 !== second[index]!.sha256).map(({ path }) => basename(path));
      if (differing.length > 0) throw new Error(`not reproducible, the second build differs: ${differing.join(", ")}`);
      process.stdout.write(`identical in both builds: ${files.length} files\n`);
    } finally {
      rmSync(again, { recursive: true, force: true });
    }
  }
  const debs = files.map(({ path }) => path).filter((path) => path.endsWith(".deb"));
  if (lint) await step("lintian", () => process.stdout.write(run("lintian", [...lintianFlags, ...debs])));
  rmSync(packages, { recursive: true, force: true });
  const fingerprint = await step("apt repository", () => writeAptRepository(join(output, "apt"), debs, key));
  renameSync(unfinished, packages);
  for (const { path, sizeBytes } of files) {
    process.stdout.write(`${(sizeBytes / 1_000_000).toFixed(1).padStart(8)} MB  ${join(packages, basename(path))}\n`);
  }
  process.stdout.write(`apt repository: ${join(output, "apt")}, signed by ${fingerprint}\n`);
  if (key === undefined)
    process.stdout.write("NOTICE: it is signed by a new key that was deleted: for trials only. Pass --key for a release.\n");
  if (build.root === undefined)
    process.stdout.write("NOTICE: without --root, players refuse updates until they have /etc/signage-player/root.json.\n");
}
