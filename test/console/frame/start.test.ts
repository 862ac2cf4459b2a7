import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { expect, test } from "vitest";
import { rootFolder } from "../../../src/main/folders.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Program } from "../../support/programs/programs.ts";

const flags = (folder: string) => ["dist/main/cli.js", "serve", "--port", "0", "--data", folder];

test("[CFR17] at a terminal the service prints where the console is, with a link that signs its owner in once; a log gets no link", async () => {
  await using folder = await temporaryFolder();
  // util-linux's script(1) runs a command at a terminal of its own.
  const command = [process.execPath, ...flags(join(folder.path, "one"))].map((each) => `'${each}'`).join(" ");
  const terminal = spawn("script", ["--quiet", "--return", "--command", `exec ${command}`, "/dev/null"], {
    cwd: rootFolder,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(terminal, "exit");
  let link: string | undefined;
  for await (const line of createInterface(terminal.stdout)) {
    link = /http:\/\/127\.0\.0\.1:\d+\/sign-in#link=\S+/.exec(line)?.[0];
    if (link !== undefined) break;
  }
  const { origin, hash } = new URL(link!);
  const secret = hash.slice("#link=".length).trim();
  const signIn = () =>
    fetch(`${origin}/api/v1/session`, {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify({ method: "link", secret }),
    });
  const first = await signIn();
  expect(first.status).toBe(201);
  expect(await first.json()).toMatchObject({ role: "owner" });
  expect((await signIn()).status).toBe(401);
  // Ctrl+C.
  terminal.stdin.write("\u0003");
  await ended;

  await using program = new Program(flags(join(folder.path, "two")));
  const line = await program.line(({ msg }) => msg === "console");
  expect(line["url"]).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await program.stop()).toBe(0);
  expect(JSON.stringify(program.lines)).not.toContain("sgn_lnk_");
});
