// The installation of Debian packages, on stand-ins for apt and sudo.
import { delimiter } from "node:path";
import { expect, test } from "vitest";
import { installPackages } from "../../../src/main/player/apt.ts";
import { createFakeTools, fails } from "../../support/fake-tools.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { createLog } from "../../support/recording-log.ts";

test("[SUP3] apt's output is one line for each step; when a step fails, the error has the command and the end of what apt said", async () => {
  await using folder = await temporaryFolder();
  const tools = await createFakeTools(folder.path, {
    sudo: 'shift; PATH="$STATE:/usr/bin:/bin" exec "$@"',
    "apt-get": "echo Get:1 http://deb.debian.org; echo Unpacking it",
  });
  const path = process.env["PATH"] ?? "";
  process.env["PATH"] = [tools.folder, path].join(delimiter);
  try {
    const { log, lines } = createLog();
    const install = () => installPackages(["chromium", "fonts-noto"], log, new AbortController().signal);
    expect(await install()).toBe(true);
    expect(lines.map(({ msg }) => msg)).toEqual(["apt-get update", "apt-get install"]);
    expect((await tools.calls()).filter((call) => call.startsWith("apt-get"))).toEqual([
      "apt-get --version",
      "apt-get -q update",
      "apt-get -q install -y --no-install-recommends chromium fonts-noto",
    ]);
    await tools.write("apt-get", `[ "$1" = --version ] && exit 0; echo Reading; ${fails("E: Could not get lock")}`);
    await expect(install()).rejects.toThrow(/apt-get -q update ended with 1:\n[^]*E: Could not get lock/);
  } finally {
    process.env["PATH"] = path;
  }
});
