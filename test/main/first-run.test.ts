// What the real programs print for --help and for data folders that cannot be used.
import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isFault } from "../../src/base/fault.ts";
import { silentLog } from "../../src/base/log.ts";
import { readBackupConfig, readBackupKeyConfig, readRestoreConfig, readRestoreKeyConfig } from "../../src/main/backup.ts";
import { readDemoConfig } from "../../src/main/demo/demo.ts";
import { rootFolder } from "../../src/main/folders.ts";
import { readMcpConfig } from "../../src/main/mcp/mcp.ts";
import { readPlayerFlags } from "../../src/main/player/player-flags.ts";
import { readServiceConfig, runService } from "../../src/main/service.ts";
import { readSetupConfig } from "../../src/main/setup/setup-flags.ts";
import { readShowConfig } from "../../src/main/show/show.ts";
import { readSignInLinkConfig } from "../../src/main/sign-in-link.ts";
import { temporaryFolder } from "../support/folder.ts";
import { Program } from "../support/programs/programs.ts";
import { giveAway, unprivileged } from "../support/programs/unprivileged.ts";

const run = promisify(execFile);
const cli = join(rootFolder, "src/main/cli.ts");

const programs = {
  demo: readDemoConfig,
  serve: readServiceConfig,
  start: readPlayerFlags,
  show: readShowConfig,
  setup: readSetupConfig,
  mcp: readMcpConfig,
  backup: readBackupConfig,
  restore: readRestoreConfig,
  "backup-key": readBackupKeyConfig,
  "restore-key": readRestoreKeyConfig,
  "sign-in-link": readSignInLinkConfig,
};
const helpText = /^\S.*\.\n\n {2}\S.* \[flags\]\n\n(?: {2}.*\n)+/;

test.each(Object.entries(programs))("[FST1] --help of %s lists its flags", (name, read) => {
  for (const flag of ["--help", "-h"]) {
    const help = messageOf(() => read(["--nonsense", flag]));
    expect(`${help}\n`).toMatch(helpText);
    expect(help).toMatch(name === "mcp" || name === "show" ? "--token-file FILE" : /--data (?:SERVICE_|PLAYER_)?DIR/);
  }
});

test("[FST1] a program prints its help on standard output and exits with 0", async () => {
  // One that logs to standard output, and one that logs to standard error.
  for (const argv of [
    ["serve", "--nonsense", "--help"],
    ["mcp", "-h"],
  ]) {
    const { stdout, stderr } = await run(process.execPath, [cli, ...argv]);
    expect(stderr).toBe("");
    expect(stdout).toMatch(helpText);
  }
});

/** The help, which is thrown. */
function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isFault(error, "help-asked")) return error.message;
    throw error;
  }
  throw new Error("nothing was thrown");
}

test("[FST1] --help without a program lists all programs, and so does an unknown program", async () => {
  const { stdout } = await run(process.execPath, [cli, "--help"]);
  await using wrong = new Program([cli, "fly"]);
  expect(await wrong.exitCode).toBe(2);
  for (const name of Object.keys(programs)) {
    expect(stdout).toContain(`  ${name} `);
    expect(wrong.output).toContain(name);
  }
});

/** The output of a service that could not start: one line, without a stack. */
async function whyNot(program: Program): Promise<string> {
  expect(await program.exitCode).toBe(1);
  const fatal = program.lines.filter(({ level }) => level === "fatal");
  expect(fatal).toHaveLength(1);
  expect(fatal[0]).not.toHaveProperty("err");
  expect(program.output).not.toContain("    at ");
  return fatal[0]!.msg;
}

const serve = (data: string, ...flags: string[]) => new Program([cli, "serve", "--port", "0", "--data", data, ...flags]);

test("[FST2] a data folder that cannot be used prints one line with the reason and the flag", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "file");
  await writeFile(file, "");
  const tries = [
    [file, "it is a file, not a folder"],
    [join(file, "below"), "part of the path is a file"],
    // Node's own recursive mkdir never returns for this folder.
    ["/proc/signage", "no folder can be created there"],
    // That a program prints such a fault in one line is seen by the next test.
  ].map(async ([data, why]) => {
    const running = runService(readServiceConfig(["--port", "0", "--data", data!]), silentLog, new AbortController().signal);
    const message = `${data} cannot hold the data: ${why}. Give another folder with --data`;
    await expect(running).rejects.toMatchObject({ code: "folder-unusable", message });
  });
  await Promise.all(tries);
});

test("[FST2] a folder that this user may not write prints one line with the reason and the flag", async () => {
  await using folder = await temporaryFolder();
  await chmod(folder.path, 0o755);
  const data = join(folder.path, "closed");
  await mkdir(data);
  giveAway(data);
  await chmod(data, 0o500);
  const command = unprivileged({ executable: process.execPath, argv: [cli, "serve", "--port", "0", "--data", data] });
  await using program = new Program(command.argv, {}, command.executable);
  expect(await whyNot(program)).toContain("this user has no right to write there");
});

test("[FST3] a port in use, an address of another machine or an invalid certificate ends the service with one line that names the flag", async () => {
  await using folder = await temporaryFolder();
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  try {
    const { port } = other.address() as { port: number };
    const noPem = join(folder.path, "no.pem");
    await writeFile(noPem, "nothing");
    const tries = [
      [["--port", String(port)], `port ${port} is in use by another program: choose another with --port`],
      [["--host", "192.0.2.1", "--insecure-http"], "192.0.2.1 is not an address of this machine: choose another with --host"],
      [["--tls-cert", noPem, "--tls-key", noPem], "are not a matching certificate and key in PEM"],
    ] as const;
    const tried = tries.map(async ([flags, words], index) => {
      await using program = serve(join(folder.path, String(index)), ...flags);
      expect(await whyNot(program)).toContain(words);
    });
    await Promise.all(tried);
    await using demo = new Program([
      cli,
      "demo",
      "--headless",
      "--engine",
      "chromium",
      "--port",
      String(port),
      "--data",
      join(folder.path, "demo"),
    ]);
    expect(await demo.exitCode).toBe(1);
    expect(demo.lines.at(-1)).toMatchObject({ program: "demo", msg: expect.stringContaining("choose another with --port") });
    expect(demo.lines.at(-1)).not.toHaveProperty("err");
  } finally {
    other.close();
  }
});
