// Which engine the player uses, and what it says if one cannot run.
import { chmod, chown, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isFault } from "../../../src/base/fault.ts";
import { readSandbox, type SandboxState } from "../../../src/main/electron/sandbox.ts";
import { decideEngine, findElectron, type EngineFacts } from "../../../src/main/player/engine.ts";
import { rootFolder } from "../../../src/main/folders.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { Program } from "../../support/programs/programs.ts";

const electron = "/app/node_modules/electron/dist/electron";
const blocked: SandboxState = {
  is: "blocked",
  setting: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
  value: "1",
  helper: "/app/node_modules/electron/dist/chrome-sandbox",
  helperIs: "not-setuid-root",
};
const chown4755 =
  "sudo chown root:root /app/node_modules/electron/dist/chrome-sandbox && sudo chmod 4755 /app/node_modules/electron/dist/chrome-sandbox";

/** A desktop with Electron's binary, with the changes of a table row. */
function facts(row: Partial<EngineFacts>): EngineFacts {
  return { engine: undefined, headless: false, electron, uid: 1000, hasDisplay: true, sandbox: { is: "usable" }, ...row };
}

const obstacles: [string, Partial<EngineFacts>, string, string][] = [
  ["--headless", { headless: true }, "Electron cannot render without a window", "omit --headless"],
  ["no display", { hasDisplay: false }, "Electron needs a display", "set DISPLAY or WAYLAND_DISPLAY"],
  ["root", { uid: 0 }, "Electron's sandbox refuses root", "run the player as another user"],
  ["a sandbox without its helper's rights", { sandbox: blocked }, "apparmor_restrict_unprivileged_userns is 1", chown4755],
  [
    "a sandbox without its helper",
    { sandbox: { ...blocked, helperIs: "missing" } },
    "chrome-sandbox is missing",
    "rm -r /app/node_modules/electron/dist && npx install-electron",
  ],
  ["all at once", { headless: true, hasDisplay: false, uid: 0, sandbox: blocked }, "cannot render without a window", "omit --headless"],
];

test("[ENG1] The player uses Electron if its binary is installed and can run", () => {
  expect(decideEngine(facts({}))).toEqual({ name: "electron", executable: electron, why: "its binary is installed" });
  expect(decideEngine(facts({ engine: "electron" }))).toEqual({ name: "electron", executable: electron, why: "requested" });
  // Windows has no user ids.
  expect(decideEngine(facts({ uid: null }))).toMatchObject({ name: "electron" });
  expect(decideEngine(facts({ electron: null }))).toEqual({ name: "chromium", why: "Electron's binary is not installed" });
});

test.each(obstacles)("[ENG2] Chromium is used if Electron cannot run, and the log says why: %s", (_, row, problem, remedy) => {
  const decision = decideEngine(facts(row));
  expect(decision.name).toBe("chromium");
  expect(decision.why).toContain(problem);
  expect(decision.why).toContain(remedy);
  // Chromium has none of these problems, and needs no explanation if it was requested.
  expect(decideEngine(facts({ ...row, engine: "chromium" }))).toEqual({ name: "chromium", why: "requested" });
  // Without the binary, other obstacles are not mentioned.
  expect(decideEngine(facts({ ...row, electron: null })).why).toBe("Electron's binary is not installed");
});

test.each(obstacles)(
  "[ENG3] if Electron is requested but cannot run, one line names the problem and the remedy: %s",
  (_, row, problem, remedy) => {
    const error = thrownBy(() => decideEngine(facts({ ...row, engine: "electron" })));
    expect(isFault(error, "bad-config")).toBe(true);
    const { message } = error as Error;
    expect(message).toMatch(/^--engine electron: /);
    expect(message).toContain(problem);
    expect(message).toContain(remedy);
    expect(message).not.toContain("\n");
  },
);

test("[ENG3] if Electron is requested but its binary is missing, one line says how to download it", () => {
  const error = thrownBy(() => decideEngine(facts({ engine: "electron", electron: null })));
  expect(isFault(error, "browser-missing")).toBe(true);
  expect((error as Error).message).toContain("npx install-electron");
});

test("[ENG3] a program prints only this line if Electron is requested but its binary is missing, without a stack", async () => {
  await using folder = await temporaryFolder();
  const env = { ELECTRON_OVERRIDE_DIST_PATH: join(folder.path, "nothing") };
  await using demo = new Program([join(rootFolder, "src/main/cli.ts"), "demo", "--engine", "electron", "--data", folder.path], env);
  expect(await demo.exitCode).toBe(1);
  expect(demo.output.trim().split("\n")).toHaveLength(1);
  expect(demo.lines[0]).toMatchObject({ level: "fatal", msg: expect.stringContaining("npx install-electron") });
  expect(demo.lines[0]).not.toHaveProperty("err");
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

/** A folder like /proc with these settings, and one like Electron's. */
async function machine(settings: Record<string, string>): Promise<{ proc: string; executable: string; helper: string } & AsyncDisposable> {
  const folder = await temporaryFolder();
  const proc = join(folder.path, "proc");
  for (const [name, value] of Object.entries(settings)) {
    await mkdir(dirname(join(proc, name)), { recursive: true });
    await writeFile(join(proc, name), value);
  }
  const dist = join(folder.path, "dist");
  await mkdir(dist);
  return {
    proc,
    executable: join(dist, "electron"),
    helper: join(dist, "chrome-sandbox"),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const clone = "sys/kernel/unprivileged_userns_clone";
const most = "sys/user/max_user_namespaces";
const apparmor = "sys/kernel/apparmor_restrict_unprivileged_userns";

test.each([
  ["an ordinary kernel", { [most]: "96365\n" }],
  ["Debian's setting allows", { [clone]: "1\n", [most]: "96365\n" }],
  ["AppArmor's setting allows", { [apparmor]: "0\n" }],
  ["none of the settings exists", {}],
])("[ENG4] Electron's sandbox is usable if user namespaces are, even if its helper is not set up: %s", async (_, settings) => {
  await using here = await machine(settings as Record<string, string>);
  expect(await readSandbox(here.proc, here.executable)).toEqual({ is: "usable" });
});

test.each([
  [clone, "0"],
  [most, "0"],
  [apparmor, "1"],
])("[ENG5] without user namespaces Electron's sandbox needs its helper, owned by root and with mode 4755: %s", async (setting, value) => {
  await using here = await machine({ [clone]: "1\n", [most]: "96365\n", [apparmor]: "0\n", [setting]: `${value}\n` });
  const { proc, executable, helper } = here;
  const state = { is: "blocked", setting: join(proc, setting), value, helper };
  expect(await readSandbox(proc, executable)).toEqual({ ...state, helperIs: "missing" });
  await writeFile(helper, "");
  await chmod(helper, 0o755);
  expect(await readSandbox(proc, executable)).toEqual({ ...state, helperIs: "not-setuid-root" });
  // npm installs it with this mode, but with another owner.
  if (process.getuid?.() === 0) await chown(helper, 65_534, 65_534);
  await chmod(helper, 0o4755);
  expect(await readSandbox(proc, executable)).toEqual({ ...state, helperIs: "not-setuid-root" });
});

test("[ENG5] without user namespaces Electron's sandbox needs its helper, owned by root and with mode 4755", async () => {
  await using here = await machine({ [apparmor]: "1\n" });
  // Only root can create such a file; every Debian has this one.
  await symlink("/usr/bin/passwd", here.helper);
  expect(await readSandbox(here.proc, here.executable)).toEqual({ is: "usable" });
});

test("[ENG6] Electron's binary is found as a file, in the folder that ELECTRON_OVERRIDE_DIST_PATH names if it is set", async () => {
  await using here = await machine({});
  const env = { ELECTRON_OVERRIDE_DIST_PATH: dirname(here.executable) };
  expect(findElectron(env)).toBeNull();
  await writeFile(here.executable, "");
  expect(findElectron(env)).toBe(here.executable);
});
