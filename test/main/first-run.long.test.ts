// What each real program prints for --help.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { rootFolder } from "../../src/main/folders.ts";

const run = promisify(execFile);
const cli = join(rootFolder, "src/main/cli.ts");

const programs = ["demo", "serve", "start", "show", "setup", "mcp", "backup", "restore", "backup-key", "restore-key", "sign-in-link"];

test("[FST1] --help of each program lists its flags on standard output and exits with 0", async () => {
  const checks = programs.map(async (name, index) => {
    const { stdout, stderr } = await run(process.execPath, [cli, name, "--nonsense", index % 2 === 0 ? "--help" : "-h"]);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^\S.*\.\n\n {2}\S.* \[flags\]\n\n(?: {2}.*\n)+/);
    expect(stdout).toMatch(name === "mcp" || name === "show" ? "--token-file FILE" : /--data (?:SERVICE_|PLAYER_)?DIR/);
  });
  await Promise.all(checks);
});
