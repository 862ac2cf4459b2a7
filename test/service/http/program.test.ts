// The service program: flags, log lines, and recovery after a kill.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readServiceConfig } from "../../../src/main/service.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Program } from "../../support/programs/programs.ts";
import { TestService, call, picture } from "../harness.ts";
import { databaseFlags } from "../test-database.ts";

const start = (folder: string, ...more: string[]) => new Program(["src/main/cli.ts", "serve", "--port", "0", "--data", folder, ...more]);

async function urlOf(program: Program): Promise<string> {
  return String((await program.line("listening"))["url"]);
}

test("[SRV2] on port 0 the service logs the actual port; another one on its data folder gives one clear line; SIGTERM stops it cleanly", async () => {
  await using folder = await temporaryFolder();
  await using program = start(folder.path);
  const url = await urlOf(program);
  expect((await call(url, "GET", "/healthz")).status).toBe(200);
  await using second = start(folder.path);
  expect(await second.exitCode).toBe(1);
  expect(second.output).toContain("another program uses");
  process.kill(program.pid, "SIGTERM");
  expect(await program.exitCode).toBe(0);
  expect(program.output).not.toContain((await readFile(join(folder.path, "admin-token"), "utf8")).trim());
});

test("[SRV2] invalid flags give one clear line and exit code 2", async () => {
  await using folder = await temporaryFolder();
  for (const flags of [["--host", "0.0.0.0"], ["--nonsense"], ["--port", "70000"], ["--tls-cert", "/nowhere"]]) {
    const refusal = new RegExp(`^[^\n]*${flags[0]}[^\n]*$`);
    expect(() => readServiceConfig(["--data", folder.path, ...flags])).toThrow(
      expect.objectContaining({ code: "bad-config", message: expect.stringMatching(refusal) }),
    );
  }
  await using program = start(folder.path, "--nonsense");
  expect(await program.exitCode).toBe(2);
  expect(program.output.trim().split("\n")).toHaveLength(1);
  expect(program.output).toContain("--nonsense");
});

test("[SRV2] a host that is reachable from outside needs TLS or --insecure-http", () => {
  const read = (...flags: string[]) => readServiceConfig(["--data", "/tmp/x", ...flags]);
  for (const host of ["127.0.0.1", "127.1.2.3", "localhost", "::1"]) expect(read("--host", host).host).toBe(host);
  for (const host of ["0.0.0.0", "::", "192.168.1.2", "signs.example"]) expect(() => read("--host", host)).toThrow("--insecure-http");
  expect(read("--host", "0.0.0.0", "--insecure-http").host).toBe("0.0.0.0");
  expect(() => read("--public-url", "ftp://x")).toThrow("--public-url");
  expect(read()).toMatchObject({ port: 8_080, publicUrl: null, tls: null });
});

test("[SRV3] a service killed at any instant restarts with everything that it has confirmed", async () => {
  await using folder = await temporaryFolder();
  const database = await databaseFlags(folder.path);
  const created: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    await using program = start(folder.path, ...database);
    const url = await urlOf(program);
    const authorization = `Bearer ${(await readFile(join(folder.path, "admin-token"), "utf8")).trim()}`;
    const writing = (async () => {
      for (let size = 16; ; size += 1) {
        const bytes = await picture("png", size);
        const answer = await call(url, "POST", "assets", bytes, { authorization }).catch(() => null);
        if (answer?.status !== 201) return;
        created.push(answer.body.id);
      }
    })();
    // In each round some uploads are confirmed and one is in progress, however slow the machine is.
    const wanted = created.length + 2;
    await expect.poll(() => created.length, { interval: 1 + round * 7 }).toBeGreaterThanOrEqual(wanted);
    process.kill(program.pid, "SIGKILL");
    await writing;
  }
  expect(created.length).toBeGreaterThan(3);
  await using service = await TestService.start(folder.path);
  for (const id of created) expect((await service.call("GET", `assets/${id}/content`)).status).toBe(200);
  expect((await stat(join(folder.path, "admin-token"))).mode & 0o777).toBe(0o600);
});
