// The audit log of a device's commands, on real files.
import { appendFile, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createKeyPair } from "../../../src/base/jws.ts";
import { CommandAuditLog, readAuditTail } from "../../../src/player/commands/audit-log.ts";
import { FakeClock } from "../../support/clock.ts";
import { countingExecutor, openCommands, pairedCommands, signedCommand, until, updatesIn } from "../../support/commands.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";

const signal = new AbortController().signal;

async function linesIn(folder: string): Promise<Record<string, unknown>[]> {
  const tail = await readAuditTail(folder, 10_000_000);
  return tail
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("[CTL10] every command that arrives, ends or is forged is a line of the device's audit log, without secrets, and survives an unpairing", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { commands, outbox } = await pairedCommands(folder.path, clock, countingExecutor().execute);
  const [serial, late] = [newId("cmd"), newId("cmd")];
  const args = { port: "panel", text: "PASSWORD 1234\r" };
  await commands.receive(signedCommand(clock, { id: serial, type: "serial.write", args }), signal);
  await until(() => outbox.length === 3);
  await commands.receive(signedCommand(clock, { id: late, type: "reload", ttlS: 60, issuedAt: clock.now() - 100_000 }), signal);
  await commands.receive(signedCommand(clock, {}, createKeyPair()), signal);
  await updatesIn(outbox);
  await commands.purge();
  const time = new Date(clock.now()).toISOString();
  const lines = await linesIn(folder.path);
  expect(lines).toEqual([
    { time, event: "received", id: serial, type: "serial.write", args: { port: "panel", text: "[cut]" } },
    { time, event: "ended", id: serial, type: "serial.write", status: "succeeded", reason: null },
    { time, event: "received", id: late, type: "reload", args: {} },
    { time, event: "ended", id: late, type: "reload", status: "expired", reason: expect.stringContaining("expired") },
    { time, event: "ignored", reason: expect.any(String) },
  ]);
});

test("[CTL10] a command that the player left unfinished is a line of the next run", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const id = newId("cmd");
  const before = await pairedCommands(folder.path, clock, () => new Promise(() => undefined));
  await before.commands.receive(signedCommand(clock, { id, type: "screenshot" }), signal);
  await until(() => before.outbox.length === 2);
  await openCommands(folder.path, clock, countingExecutor().execute);
  expect((await linesIn(folder.path)).at(-1)).toMatchObject({ event: "ended", id, status: "failed" });
});

test("[CTL11] the audit log keeps its newest four megabytes in whole lines, and a flood of forgeries does not push commands out", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const log = new CommandAuditLog(folder.path, () => clock.now());
  const args = Object.fromEntries(Array.from({ length: 40 }, (_, place) => [`name${place}`, "x".repeat(190)]));
  for (let place = 0; place < 600; place += 1) await log.append({ event: "received", id: `cmd_${place}`, type: "run", args });
  for (let place = 0; place < 500; place += 1) await log.append({ event: "ignored", reason: "forged" });
  const files = (await readdir(folder.path)).filter((name) => name.startsWith("command-audit"));
  expect(files).toHaveLength(4);
  for (const name of files) expect((await stat(join(folder.path, name))).size).toBeLessThanOrEqual(1_048_576);
  const lines = await linesIn(folder.path);
  expect(lines.filter(({ event }) => event === "ignored").length).toBeLessThanOrEqual(20);
  expect(lines.filter(({ event }) => event === "received").at(-1)).toMatchObject({ id: "cmd_599" });
  const tail = await readAuditTail(folder.path, 20_000);
  expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(20_000);
  expect(() =>
    tail
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).not.toThrow();
});

test("[CTL11] a line that a power loss cut does not damage the next one", async () => {
  await using folder = await temporaryFolder();
  await new CommandAuditLog(folder.path, () => 0).append({ event: "ignored", reason: "first" });
  await appendFile(join(folder.path, "command-audit.jsonl"), '{"time":"19');
  // The next start.
  const log = new CommandAuditLog(folder.path, () => 0);
  expect(await log.repair()).toEqual([]);
  await log.append({ event: "ignored", reason: "second" });
  expect((await linesIn(folder.path)).map(({ reason }) => reason)).toEqual(["first", "second"]);
});

test("[CTL18] an audit log that is damaged, other than by a cut last line, is set aside as .damaged and reported, and a new one begins", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "command-audit.jsonl");
  await writeFile(path, `garbage\n{"event":"ended"}\n`);
  const log = new CommandAuditLog(folder.path, () => 0);
  expect(await log.repair()).toEqual(["command-audit.jsonl"]);
  await log.append({ event: "ignored", reason: "new" });
  expect(await readFile(`${path}.damaged`, "utf8")).toMatch(/^garbage/);
  expect((await linesIn(folder.path)).map(({ reason }) => reason)).toEqual(["new"]);
});
