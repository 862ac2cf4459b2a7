// A program's log on a full disk.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { smallDisk } from "../support/small-disk.ts";

test("[DSK10] a program whose log is on a full disk continues, and logs again when there is room", async (context) => {
  await using disk = await smallDisk(1);
  if (disk === null) return context.skip("only root can mount a small disk");
  const path = join(disk.path, "log");
  const file = await open(path, "a");
  const script = `
    const { createLog } = await import(${JSON.stringify(import.meta.resolve("../../src/base/log.ts"))});
    const log = await createLog("test");
    process.on("message", (text) => { log.info(text); process.send(text); if (text === "end") process.disconnect(); });
    process.send("ready");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", file.fd, "inherit", "ipc"] });
  const say = async (text: string): Promise<void> => {
    child.send(text);
    expect((await once(child, "message"))[0]).toBe(text);
  };
  expect((await once(child, "message"))[0]).toBe("ready");
  await say("before");
  await disk.fill();
  for (let line = 0; line < 100; line += 1) await say("x".repeat(20_000));
  await disk.free();
  await say("after");
  await say("end");
  expect(await once(child, "exit")).toEqual([0, null]);
  await file.close();
  const text = await readFile(path, "utf8");
  expect([text.includes('"before"'), text.includes('"after"') || text.includes('"end"')]).toEqual([true, true]);
});
