// `npm run show` with a real service, and the commands of the README.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { rootFolder } from "../../src/main/folders.ts";
import { readShowConfig } from "../../src/main/show.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startService, type Api } from "../support/programs/programs.ts";

const run = promisify(execFile);
const cli = join(rootFolder, "src/main/cli.ts");

async function shows(api: Api): Promise<Record<string, unknown>[]> {
  return (await api.ok("GET", "show"))["data"] as Record<string, unknown>[];
}

test("[FST7] npm run show shows a file, a page and a text on screens, and --clear removes them", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(folder.path);
  const at = ["--server", service.api.url, "--token-file", join(folder.path, "admin-token")];
  const show = (...words: string[]) => run(process.execPath, [cli, "show", ...words, ...at], { cwd: rootFolder });
  const { stdout } = await show("demo/media/loaf.jpg");
  expect(stdout).toContain('"msg":"shown"');
  await show("Back at two", "--for", "30m");
  await show("https://example.org/menu?x=1", "--tag", "window,door");
  const [page, text, picture] = await shows(service.api);
  expect(page).toMatchObject({ url: "https://example.org/menu?x=1", ends_at: null });
  expect(text).toMatchObject({ text: "Back at two", status: "due" });
  expect(picture).toMatchObject({ asset_id: expect.stringMatching(/^ast_/), status: "due" });
  await show("--clear");
  expect((await shows(service.api)).map(({ status }) => status)).toEqual(["cleared", "cleared", "cleared"]);
});

test("[FST7] content that cannot be shown is rejected in one line with the reason", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(folder.path);
  const at = ["--token-file", join(folder.path, "admin-token")];
  const here = [...at, "--server", service.api.url];
  const tries = [
    [["menu.jpg", ...here], 2, "there is no file menu.jpg"],
    [["Back", "at", "two", ...here], 2, "put text in quotes"],
    [["--clear", "Back", ...here], 2, "--clear cannot be combined with content to show"],
    [[...here], 2, "name the content to show"],
    [["Back", "--for", "soon", ...here], 2, "--for: must be a duration such as 90s, 30m, 8h or 2d"],
    [["Back", "--on", "Nobody", ...here], 1, "Nobody"],
    [["Back", ...at, "--server", "http://127.0.0.1:9"], 1, "there is no service at http://127.0.0.1:9"],
    [["Back", "--token-file", "/nowhere"], 2, "/nowhere cannot be read"],
  ].map(async ([argv, code, words]) => {
    const failed = await run(process.execPath, [cli, "show", ...(argv as string[])]).catch((error: unknown) => error);
    const { stdout, stderr, code: exit } = failed as { stdout: string; stderr: string; code: number };
    expect(exit, stdout + stderr).toBe(code);
    expect(stdout + stderr).toContain(words);
    expect((stdout + stderr).trim().split("\n")).toHaveLength(1);
    expect(stdout + stderr).not.toContain("    at ");
  });
  await Promise.all(tries);
});

test("[FST7] without a screen's name or a tag all screens are used, and durations have units", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "token");
  await (await import("node:fs/promises")).writeFile(file, "sgn_pat_x\n");
  const read = (...words: string[]) => readShowConfig([...words, "--token-file", file]);
  expect(read("x")).toEqual({
    content: { text: "x" },
    target: { everywhere: true },
    durationMs: null,
    server: "http://127.0.0.1:8080",
    token: "sgn_pat_x",
  });
  expect(read("x", "--on", "Lobby, Bar")).toMatchObject({ target: { players: ["Lobby", "Bar"] } });
  expect(["90s", "30m", "8h", "2d"].map((time) => read("x", "--for", time).durationMs)).toEqual([
    90_000, 1_800_000, 28_800_000, 172_800_000,
  ]);
});

test("[FST6] the README's commands for showing one's own picture work as written", async () => {
  await using folder = await temporaryFolder();
  await using service = await startService(join(folder.path, "signage-player/service"));
  const readme = await readFile(join(rootFolder, "README.md"), "utf8");
  const section = readme.slice(readme.indexOf("## Your own picture"), readme.indexOf("## A second screen"));
  const commands = [...section.matchAll(/```\n(.*?)```/gs)].map(([, text]) => text!);
  expect(commands).toHaveLength(2);
  // The default port may be in use here. The data folder is the default one.
  const placed = commands
    .join("\n")
    .replaceAll("http://127.0.0.1:8080", service.api.url)
    .replaceAll("npm run show --", `npm run show -- --server ${service.api.url}`)
    .replaceAll("~/.local/share", folder.path);
  const env = { ...process.env, XDG_DATA_HOME: folder.path };
  await run("bash", ["-euo", "pipefail", "-c", placed], { cwd: rootFolder, env });
  const counts = await shows(service.api);
  // Four shows, of which three were cleared.
  expect(counts.map(({ status }) => status)).toEqual(["due", "cleared", "cleared", "cleared"]);
  expect(counts[0]).toMatchObject({ asset_id: expect.stringMatching(/^ast_/) });
});
