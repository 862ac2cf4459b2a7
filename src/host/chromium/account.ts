// Who Chromium runs as and where it keeps its things. As root it becomes an unprivileged user: its sandbox refuses root.
import { createHash } from "node:crypto";
import { chmod, chown, copyFile, lchown, lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Fault } from "../../base/fault.ts";
import { renderNode } from "../linux/gpu.ts";

/** The program's environment, as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A user's ids; null when Chromium runs as the user who runs the player. */
export type Identity = { uid: number; gid: number } | null;

/** Whom to run as, on which profile, with which environment. */
export interface BrowserAccount {
  identity: Identity;
  profileFolder: string;
  env: Record<string, string>;
}

// What concerns the display, sound, language and drivers. All else stays away from the browser: it may hold secrets.
const passedOn =
  /^(DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|PATH|TZ|LANG|LANGUAGE|LC_\w+|PULSE_SERVER|ALSA_\w+|LIBVA_\w+|CHROME_DEVEL_SANDBOX|LD_LIBRARY_PATH)$/;
// These name places that belong to the user who runs the player; another user cannot enter them.
const passedOnToSelf = /^(HOME|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS)$/;

// A service's own user first; `nobody` is everywhere.
const preferredUsers = ["signage", "nobody"];
const sharedFolder = "/var/lib/signage-player/chromium";

// Debian's Chromium refuses framed sites their cookies: a dashboard would ask for its login again with each request.
// 0 is what Chromium's own builds begin with (CookieControlsMode::kOff).
const firstPreferences = { profile: { cookie_controls_mode: 0 } };

/**
 * Prepares the folders below `folder` (or, as root, below /var/lib/signage-player when the unprivileged user could
 * not reach `folder`) and says how to run Chromium there.
 * @param userId of the running process. @throws Fault `browser-failed` when root finds no user to become.
 */
export async function prepareAccount(folder: string, env: Environment, userId: number): Promise<BrowserAccount> {
  const identity = userId === 0 ? await unprivileged() : null;
  const base = identity !== null && !(await canReach(folder, identity)) ? substituteFor(folder) : resolve(folder);
  // Parents and base stay ours: whoever owns them could swap what root writes in them.
  await mkdir(base, { recursive: true, mode: identity === null ? 0o700 : 0o711 });
  await makeProfile(join(base, "profile"));
  const profileFolder = await ownFolder(join(base, "profile"), identity);
  const home = await ownFolder(join(base, "home"), identity);
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (passedOn.test(entry[0]) || (identity === null && passedOnToSelf.test(entry[0]))),
  );
  const own: Record<string, string> = {
    XDG_CONFIG_HOME: await styleFolder(base),
    // Where Chromium itself looks for what it would else keep under XDG_CONFIG_HOME, such as its crash dumps.
    CHROME_CONFIG_HOME: home,
    XDG_CACHE_HOME: join(home, "cache"),
  };
  if (identity !== null) {
    own["HOME"] = home;
    own["XDG_RUNTIME_DIR"] = await ownFolder(join(base, "run"), identity);
    // Chromium asks the session bus for a dark theme and a keyring; another user's bus would only keep it waiting.
    own["DBUS_SESSION_BUS_ADDRESS"] = "disabled:";
    if (env["XAUTHORITY"] !== undefined) own["XAUTHORITY"] = await ownCopy(env["XAUTHORITY"], join(base, "Xauthority"), identity);
  }
  return { identity, profileFolder, env: { ...Object.fromEntries(passed), ...own } };
}

async function unprivileged(): Promise<NonNullable<Identity>> {
  const users = new Map((await readFile("/etc/passwd", "utf8")).split("\n").map((line) => [line.split(":")[0], line.split(":")]));
  for (const name of preferredUsers) {
    const [, , uid, gid] = users.get(name) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number((await graphicsGroup()) ?? gid) };
  }
  throw new Fault("browser-failed", `Chromium's sandbox refuses root and there is no user ${preferredUsers.join(" or ")} to run it as`);
}

// spawn() drops the supplementary groups, so the one that opens the GPU has to be the primary one.
async function graphicsGroup(): Promise<number | null> {
  const node = renderNode();
  return node === null ? null : (await stat(node)).gid;
}

// A folder that does not exist yet is as reachable as the nearest one that does.
async function canReach(folder: string, { uid, gid }: NonNullable<Identity>): Promise<boolean> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = await stat(at).catch(() => null);
    const mayEnter =
      found === null ||
      (found.mode & 0o001) !== 0 ||
      (found.uid === uid && (found.mode & 0o100) !== 0) ||
      (found.gid === gid && (found.mode & 0o010) !== 0);
    if (!mayEnter) return false;
    if (at === "/") return true;
  }
}

function substituteFor(folder: string): string {
  return join(sharedFolder, createHash("sha256").update(resolve(folder)).digest("hex").slice(0, 16));
}

/**
 * Makes a profile with its first preferences where there is none; from then on they are Chromium's to keep. Made beside
 * its place and moved there whole: once it is another user's, root writes in it no more.
 */
async function makeProfile(folder: string): Promise<void> {
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
  // Also after an earlier start as another user: Chromium cannot start on a profile it may not write.
  if (identity !== null && (await stat(folder)).uid !== identity.uid) await giveAway(folder, identity);
  return folder;
}

async function giveAway(path: string, identity: NonNullable<Identity>): Promise<void> {
  if ((await lstat(path)).isDirectory()) {
    for (const name of await readdir(path)) await giveAway(join(path, name), identity);
  }
  await lchown(path, identity.uid, identity.gid);
}

// Until Chromium has painted, its window shows the background of the desktop's GTK theme: near white, for 100 ms and
// more. It stays ours, read-only to Chromium: root would otherwise write where another user may have put a link.
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
