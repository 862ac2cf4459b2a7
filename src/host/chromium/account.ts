// The user that Chromium runs as, and its folders. Root runs it as an unprivileged user, because Chromium's sandbox refuses root.
import { createHash } from "node:crypto";
import { chmod, chown, copyFile, lchown, lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Fault, reasonOf } from "../../base/fault.ts";
import { isSystemError } from "../../base/files/system-error.ts";
import type { Log } from "../../base/log.ts";
import { renderNode } from "../linux/gpu.ts";

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A user's ids; null when Chromium runs as the player's own user. */
export type Identity = { uid: number; gid: number } | null;

/** The user, profile and environment to run Chromium with. */
export interface BrowserAccount {
  identity: Identity;
  profileFolder: string;
  env: Record<string, string>;
}

// Variables about display, sound, language and drivers. Others may contain secrets and are not passed to the browser.
const forwardedVariables =
  /^(DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|PATH|TZ|LANG|LANGUAGE|LC_\w+|PULSE_SERVER|ALSA_\w+|LIBVA_\w+|CHROME_DEVEL_SANDBOX|LD_LIBRARY_PATH)$/;
// These name folders of the player's own user, which another user cannot enter.
const forwardedToOwnUser = /^(HOME|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS)$/;

// The installation's own user first; `nobody` exists everywhere.
const preferredUsers = ["signage", "nobody"];
const sharedFolder = "/var/lib/signage-player/chromium";

// Debian's Chromium blocks cookies in iframes, so a dashboard would ask for its login with each request.
// 0 is the default of Chromium's own builds (CookieControlsMode::kOff).
const firstPreferences = { profile: { cookie_controls_mode: 0 } };

/**
 * Prepares Chromium's folders below `folder` (or, as root, below /var/lib/signage-player if the unprivileged user cannot
 * enter `folder`). If that disk cannot be written, because it is read-only, full or broken, they are in a temporary folder.
 * @param userId of the running process. @throws Fault `browser-failed` when root finds no unprivileged user.
 */
export async function prepareAccount(folder: string, env: Environment, userId: number, log: Log): Promise<BrowserAccount> {
  const identity = userId === 0 ? await findUnprivilegedUser() : null;
  const base = identity !== null && !(await canReach(folder, identity)) ? substituteFolder(folder) : resolve(folder);
  try {
    return await prepareFolders(base, env, identity);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const temporaryFolder = await createTemporaryFolder(base, env, identity);
    log.error(
      { folder: base, temporary: temporaryFolder, reason: reasonOf(error) },
      "the browser's folder cannot be written: using another",
    );
    return prepareFolders(temporaryFolder, env, identity);
  }
}

/** Folders that are in memory on most machines. */
export function runtimeFolders(env: Environment, identity: Identity): string[] {
  const runtimeFolder = identity === null ? env["XDG_RUNTIME_DIR"] : "/run";
  return [...(runtimeFolder === undefined ? [] : [runtimeFolder]), "/dev/shm"];
}

/** Creates an empty folder in memory if possible. Any of these may be on the same full disk as the data. */
async function createTemporaryFolder(base: string, env: Environment, identity: Identity): Promise<string> {
  const name = `signage-chromium-${shortHash(base)}`;
  const causes: unknown[] = [];
  for (const parent of [...runtimeFolders(env, identity), tmpdir()]) {
    const folder = join(parent, name);
    try {
      // The folder of the last start is still there. In a shared parent, mkdir fails if another user placed something there.
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { mode: identity === null ? 0o700 : 0o711 });
      return folder;
    } catch (error) {
      causes.push(error);
    }
  }
  throw new Fault("browser-failed", "there is no folder for the browser's files", { cause: causes[0] });
}

async function prepareFolders(base: string, env: Environment, identity: Identity): Promise<BrowserAccount> {
  // Do not change the owner of the parents and the base: the owner could replace files that root writes there.
  await mkdir(base, { recursive: true, mode: identity === null ? 0o700 : 0o711 });
  await createProfile(join(base, "profile"));
  const profileFolder = await ownFolder(join(base, "profile"), identity);
  const home = await ownFolder(join(base, "home"), identity);
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (forwardedVariables.test(entry[0]) || (identity === null && forwardedToOwnUser.test(entry[0]))),
  );
  const own: Record<string, string> = {
    XDG_CONFIG_HOME: await styleFolder(base),
    // Where Chromium keeps files that it would otherwise keep in XDG_CONFIG_HOME, such as crash dumps.
    CHROME_CONFIG_HOME: home,
    XDG_CACHE_HOME: join(home, "cache"),
  };
  if (identity !== null) {
    own["HOME"] = home;
    own["XDG_RUNTIME_DIR"] = await ownFolder(join(base, "run"), identity);
    // Chromium would wait for another user's session bus, which it asks for a dark theme and a keyring.
    own["DBUS_SESSION_BUS_ADDRESS"] = "disabled:";
    if (env["XAUTHORITY"] !== undefined) own["XAUTHORITY"] = await ownCopy(env["XAUTHORITY"], join(base, "Xauthority"), identity);
  }
  return { identity, profileFolder, env: { ...Object.fromEntries(entries), ...own } };
}

async function findUnprivilegedUser(): Promise<NonNullable<Identity>> {
  const users = new Map((await readFile("/etc/passwd", "utf8")).split("\n").map((line) => [line.split(":")[0], line.split(":")]));
  for (const name of preferredUsers) {
    const [, , uid, gid] = users.get(name) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number((await graphicsGroup()) ?? gid) };
  }
  throw new Fault("browser-failed", `Chromium's sandbox refuses root and there is no user ${preferredUsers.join(" or ")} to run it as`);
}

// spawn() drops supplementary groups, so the GPU's group has to be the primary one.
async function graphicsGroup(): Promise<number | null> {
  const node = renderNode();
  return node === null ? null : (await stat(node)).gid;
}

// A folder that does not exist yet is as accessible as its nearest existing parent.
async function canReach(folder: string, { uid, gid }: NonNullable<Identity>): Promise<boolean> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const stats = await stat(at).catch(() => null);
    const mayEnter =
      stats === null ||
      (stats.mode & 0o001) !== 0 ||
      (stats.uid === uid && (stats.mode & 0o100) !== 0) ||
      (stats.gid === gid && (stats.mode & 0o010) !== 0);
    if (!mayEnter) return false;
    if (at === "/") return true;
  }
}

function substituteFolder(folder: string): string {
  return join(sharedFolder, shortHash(resolve(folder)));
}

/** A name for a folder that belongs to the path `text`. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/**
 * Creates a profile with initial preferences if there is none. It is created beside its final path and then moved, because
 * root must not write in a folder that already belongs to another user.
 */
async function createProfile(folder: string): Promise<void> {
  if ((await lstat(folder).catch(() => null)) !== null) return;
  const fresh = `${folder}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(join(fresh, "Default"), { recursive: true, mode: 0o700 });
  await writeFile(join(fresh, "Default", "Preferences"), JSON.stringify(firstPreferences), { mode: 0o600 });
  await rename(fresh, folder);
}

async function ownFolder(folder: string, identity: Identity): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  // An earlier start may have been as another user, and Chromium cannot start with a profile that it cannot write.
  if (identity !== null && (await stat(folder)).uid !== identity.uid) await changeOwner(folder, identity);
  return folder;
}

async function changeOwner(path: string, identity: NonNullable<Identity>): Promise<void> {
  if ((await lstat(path)).isDirectory()) {
    for (const name of await readdir(path)) await changeOwner(join(path, name), identity);
  }
  await lchown(path, identity.uid, identity.gid);
}

// Until Chromium has painted, its window shows the background of the desktop's GTK theme: nearly white, for 100 ms and more.
// The folder keeps its owner: root must not write where another user could have placed a link.
async function styleFolder(base: string): Promise<string> {
  const folder = join(base, "config");
  for (const version of ["gtk-3.0", "gtk-4.0"]) {
    await mkdir(join(folder, version), { recursive: true, mode: 0o755 });
    await writeFile(join(folder, version, "gtk.css"), "window, .background { background-color: #000; }\n", { mode: 0o644 });
  }
  return folder;
}

async function ownCopy(from: string, to: string, identity: NonNullable<Identity>): Promise<string> {
  await rm(to, { force: true });
  await copyFile(from, to);
  await chmod(to, 0o400);
  await chown(to, identity.uid, identity.gid);
  return to;
}
