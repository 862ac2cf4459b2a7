// `npm run show` with a real service. With a real player, and as a process of its own: test/system/whole-path.test.ts.
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isFault, type FaultCode } from "../../src/base/fault.ts";
import { silentLog } from "../../src/base/log.ts";
import { rootFolder } from "../../src/main/folders.ts";
import { readShowConfig, runShow } from "../../src/main/show/show.ts";
import { FakeClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { Api } from "../support/programs/programs.ts";
import { createLog, type LogLine } from "../support/recording-log.ts";
import { Device, heartbeat, TestService, type DeviceSocket } from "../service/harness.ts";

const run = promisify(execFile);
const cli = join(rootFolder, "src/main/cli.ts");

const time = "2026-11-28T12:00:00.000Z";
const dark = {
  asked: "off",
  reason: "hours",
  until: null,
  power: "off",
  by: "wlopm",
  brightness_percent: null,
  rotation: null,
  mode: null,
  input: null,
} as const;

const presented = (zone_id: string) => ({ zone_id, item_id: `itm_${zone_id.slice(4)}`, asset_id: null, presented_at: time });
const content = (is: "applied") => ({ is, revision: "r", applied_revision: "r", ready_bytes: 0, total_bytes: 0, detail: null });

interface Result {
  /** The code of the fault that it ends with, for which the program exits with 1; null: it succeeds. */
  fault: FaultCode | null;
  output: string;
  /** The log. */
  lines: LogLine[];
}

/** Runs the command, in this process, for a user with a home of their own. */
function showWith({ url }: Api, folder: string, user: string): (...words: string[]) => Promise<Result> {
  const at = ["--server", url, "--token-file", join(folder, "admin-token")];
  return async (...words) => {
    process.env["XDG_STATE_HOME"] = join(folder, user);
    const { log, lines } = createLog();
    const failed: unknown = await runShow(readShowConfig([...words, ...at]), log, new AbortController().signal).catch(
      (error: unknown) => error,
    );
    if (failed !== undefined && !isFault(failed)) throw failed;
    const output = [...lines.map((line) => JSON.stringify(line)), failed?.message ?? ""].join("\n");
    return { fault: failed?.code ?? null, output, lines };
  };
}

/** Screens that speak the protocol, without a player, until they are disposed of. */
async function pairScreens(api: Api, names: readonly string[]): Promise<{ devices: Device[]; sockets: DeviceSocket[] } & AsyncDisposable> {
  const devices: Device[] = [];
  const sockets: DeviceSocket[] = [];
  for (const name of names) {
    const device = new Device(api.url);
    const { user_code: code } = await device.askForCode();
    await api.ok("POST", "players/pair", { code, name });
    await device.firstToken();
    devices.push(device);
    sockets.push(await device.connect());
  }
  const end = async (): Promise<void> => {
    for (const { socket } of sockets) socket.terminate();
    for (const { playerId } of devices) await api.ok("DELETE", `players/${playerId}`);
  };
  return { devices, sockets, [Symbol.asyncDispose]: end };
}

/** The zone of the newest show, once there are `count` shows. */
async function newestZone(api: Api, count: number): Promise<string> {
  await expect.poll(async () => (await shows(api)).length).toBe(count);
  const [{ layout_id } = {}] = await shows(api);
  const { zones } = await api.ok("GET", `layouts/${String(layout_id)}`);
  return (zones as { id: string }[])[0]!.id;
}

async function shows(api: Api): Promise<Record<string, unknown>[]> {
  return (await api.ok("GET", "show"))["data"] as Record<string, unknown>[];
}

// One service for all tests: the first one needs it without screens.
const owned = new AsyncDisposableStack();
let folder: { path: string };
let api: Api;
beforeAll(async () => {
  folder = owned.use(await temporaryFolder());
  // Where the command notes its shows.
  const { XDG_STATE_HOME: before } = process.env;
  process.env["XDG_STATE_HOME"] = join(folder.path, "state");
  owned.defer(() => {
    if (before === undefined) delete process.env["XDG_STATE_HOME"];
    else process.env["XDG_STATE_HOME"] = before;
  });
  const { service, token } = owned.use(await TestService.start(folder.path));
  api = new Api(service.url, token);
});
afterAll(() => owned.disposeAsync());

test("[FST7] npm run show shows a file, a page and a text on screens, and --clear ends them, but no show of anybody else", async () => {
  const show = showWith(api, folder.path, "mine");
  // Without a screen nobody has seen it. It is there all the same, for the screens that come.
  const first = await show("demo/media/loaf.jpg");
  expect([first.fault, first.output]).toEqual(["refused", expect.stringContaining("nobody has seen it: no screen is selected")]);
  await show("Back at two", "--for", "30m");
  await show("https://example.org/menu?x=1", "--tag", "window,door");
  const [page, text, picture] = await shows(api);
  expect(page).toMatchObject({ url: "https://example.org/menu?x=1", ends_at: null });
  expect(text).toMatchObject({ text: "Back at two", status: "due" });
  expect(picture).toMatchObject({ asset_id: expect.stringMatching(/^ast_/), status: "due" });
  await api.ok("POST", "show", { text: "By the console", everywhere: true, until: null });
  const theirs = showWith(api, folder.path, "theirs");
  await theirs("By a colleague with the same token");
  const cleared = await show("--clear");
  expect([cleared.fault, cleared.output]).toEqual([null, expect.stringContaining("Back at two")]);
  expect((await shows(api)).map(({ text: words, status }) => [words, status])).toEqual([
    ["By a colleague with the same token", "due"],
    ["By the console", "due"],
    [null, "cleared"],
    ["Back at two", "cleared"],
    [null, "cleared"],
  ]);
  const again = await show("--clear");
  expect([again.fault, again.output]).toEqual([null, expect.stringContaining("nothing to end")]);
  // What somebody else has ended is no error.
  const [{ id } = {}] = await shows(api);
  await api.ok("DELETE", `show/${String(id)}`);
  const late = await theirs("--clear");
  expect([late.fault, late.output]).toEqual([null, expect.stringContaining("had ended already")]);
});

test("[FST9] npm run show waits for every screen: shown only by presented frames, failed with the reason, or with its display off", async () => {
  await using screens = await pairScreens(api, ["Lobby", "Bar", "Window"]);
  const [lobby, bar, window] = screens.sockets;
  const show = showWith(api, folder.path, "mine");

  const before = (await shows(api)).length;
  const running = show("Back at two", "--wait", "1h");
  const zone = await newestZone(api, before + 1);
  const problem = {
    code: "item-load-failed",
    since: time,
    zone_id: zone,
    item_id: presented(zone).item_id,
    detail: "the name nowhere.invalid cannot be resolved",
    remedy: "Check it",
  };
  // Online and in receipt of the state, but without a frame of it: that is not shown.
  const applied = { content: content("applied") };
  for (const socket of screens.sockets) socket.send({ type: "heartbeat", data: heartbeat(applied) });
  const empty = { ...problem, code: "zone-empty", item_id: null, detail: "A zone shows nothing" };
  bar!.send({ type: "heartbeat", data: heartbeat({ ...applied, problems: [empty, problem], rendering: true }) });
  window!.send({ type: "heartbeat", data: heartbeat({ ...applied, now_playing: [presented(zone)], telemetry: { display: dark } }) });
  lobby!.send({ type: "heartbeat", data: heartbeat({ ...applied, now_playing: [presented(zone)] }) });
  const { fault, output, lines } = await running;
  expect(fault).toBe("refused");
  expect(lines.slice(-3)).toMatchObject([
    { name: "Lobby", at: time, msg: "shown" },
    { name: "Bar", why: problem.detail, msg: "failed" },
    { name: "Window", msg: expect.stringContaining("display off") },
  ]);
  expect(output).toContain("1 of 3 screens have shown it");

  const single = show("Only here", "--on", "Lobby", "--wait", "1h");
  lobby!.send({ type: "heartbeat", data: heartbeat({ ...applied, now_playing: [presented(await newestZone(api, before + 2))] }) });
  const done = await single;
  expect([done.fault, done.lines.at(-1)]).toEqual([
    null,
    expect.objectContaining({ msg: "every screen has shown it, and it stays: npm run show -- --clear ends it" }),
  ]);
});

test("[FST10] npm run show --wait says which screens are offline or have reported no frame, and exits with 1 unless all have shown it", async () => {
  await using screens = await pairScreens(api, ["Lobby", "Bar"]);
  screens.sockets[1]!.socket.close();
  const reason = { layer: "override", id: null, name: "Fire drill", layout_id: null, verdict: "shows", detail: "An override" } as const;
  screens.sockets[0]!.send({ type: "heartbeat", data: heartbeat({ content: content("applied"), why: [reason] }) });
  await screens.sockets[0]!.next("heartbeat.answer");
  await expect.poll(async () => (await api.ok("GET", `players/${screens.devices[1]!.playerId}`))["status"]).toBe("offline");
  const { log, lines } = createLog();
  const clock = new FakeClock();
  const config = readShowConfig(["Back at two", "--wait", "1s", "--server", api.url, "--token-file", join(folder.path, "admin-token")]);
  // The time is over once the report is there.
  const due = "is due there instead";
  const running = runShow(config, log, new AbortController().signal, clock);
  const ended = expect(running).rejects.toMatchObject({
    code: "refused",
    message: expect.stringContaining("0 of 2 screens have shown it"),
  });
  await expect.poll(() => lines.some(({ msg, name, why }) => msg === "screen" && name === "Lobby" && String(why).includes(due))).toBe(true);
  clock.advance(1_000);
  await ended;
  expect(lines.slice(-2)).toMatchObject([
    { name: "Lobby", why: expect.stringContaining(due), msg: "not shown within 1 s" },
    { name: "Bar", msg: expect.stringContaining("offline") },
  ]);
  for (const { msg } of lines) expect(msg).not.toMatch(/^shown/);
});

test("[FST7] content that cannot be shown is rejected in one line with the reason", async () => {
  const at = ["--token-file", join(folder.path, "admin-token")];
  const here = [...at, "--server", api.url];
  for (const [argv, words] of [
    [["menu.jpg", ...here], "there is no file menu.jpg"],
    [["Back", "at", "two", ...here], "put text in quotes"],
    [["--clear", "Back", ...here], "--clear cannot be combined with content to show"],
    [[...here], "name the content to show"],
    [["Back", "--for", "soon", ...here], "--for: must be a duration such as 90s, 30m, 8h or 2d"],
    [["Back", "--token-file", "/nowhere"], "/nowhere cannot be read"],
  ] as const)
    expect(() => readShowConfig(argv)).toThrow(words);
  const failed: unknown = await run(process.execPath, [cli, "show", "menu.jpg", ...here]).catch((error: unknown) => error);
  const { stdout, stderr, code } = failed as { stdout: string; stderr: string; code: number };
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr.trim().split("\n")).toEqual([expect.stringContaining("there is no file menu.jpg")]);
  // A fault with one of these codes is logged by its message alone (src/main/program.ts).
  const show = showWith(api, folder.path, "mine");
  expect(await show("Back", "--on", "Nobody")).toMatchObject({ fault: "refused", output: expect.stringMatching(/^[^\n]*Nobody[^\n]*$/) });
  const nowhere = runShow(readShowConfig(["Back", ...at, "--server", "http://127.0.0.1:9"]), silentLog, new AbortController().signal);
  await expect(nowhere).rejects.toMatchObject({
    code: "unreachable",
    message: expect.stringMatching(/^there is no service at http:\/\/127\.0\.0\.1:9[^\n]*$/),
  });
});

test("[FST7] without a screen's name or a tag all screens are used, and durations have units", async () => {
  const file = join(folder.path, "some-token");
  await writeFile(file, "sgn_pat_x\n");
  const read = (...words: string[]) => readShowConfig([...words, "--token-file", file]);
  expect(read("x")).toEqual({
    content: { text: "x" },
    target: { everywhere: true },
    durationMs: null,
    waitMs: 60_000,
    server: "http://127.0.0.1:8080",
    token: "sgn_pat_x",
  });
  expect(read("x", "--on", "Lobby, Bar")).toMatchObject({ target: { players: ["Lobby", "Bar"] } });
  expect(read("x", "--wait", "5s")).toMatchObject({ waitMs: 5_000 });
  expect(["90s", "30m", "8h", "2d"].map((time) => read("x", "--for", time).durationMs)).toEqual([
    90_000, 1_800_000, 28_800_000, 172_800_000,
  ]);
});
