// Carries out the player's request to run another version: verifies it, installs it beside the running one, and switches.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { InstallRequest, ReleaseManifest, bundleName } from "../protocol/device/updates.ts";
import type { z } from "zod";
import { Fault, hasErrorCode } from "../base/fault.ts";
import { isSystemError } from "../base/files/system-error.ts";
import { compareVersions } from "../base/version-order.ts";
import { verifyReleases, type SignedTarget } from "../base/releases/verify.ts";
import { verifyTarget } from "../base/releases/verify-target.ts";
import { readHealth, readMessage, type Launcher } from "./launcher-parts.ts";
import { checkSlot, fillSlot, type UpdateSlot } from "./slots.ts";
import type { State } from "./state.ts";
import { returnSlot } from "./status.ts";
import { baselineOf, beginProgram, refuse, retryAt } from "./transitions.ts";
import { readFromUntrustedFolder } from "../base/releases/untrusted-folder.ts";

type Request = z.infer<typeof InstallRequest>;

/** Answers the newest request, if it is not answered yet and nothing is under test. The player's unit is restarted by the caller. */
export async function answerRequest(launcher: Launcher, state: State, signal?: AbortSignal): Promise<void> {
  const { folders, store, log } = launcher;
  if (state.trial !== null) return;
  const request = await readMessage(join(folders.updates, "request.json"), InstallRequest);
  if (request === null || request.id === state.answered) return;
  const at = launcher.device.clock.now();
  try {
    await carryOut(launcher, state, request, signal);
  } catch (error) {
    signal?.throwIfAborted();
    const detail = refusalOf(error);
    log("the request is refused", { version: request.version, reason: detail });
    await store.change((current) => refuse(current, request.version, request.id, detail, at));
  }
}

async function carryOut(launcher: Launcher, state: State, request: Request, signal?: AbortSignal): Promise<void> {
  const { store, folders, device, log } = launcher;
  const { version, id } = request;
  const running = await checkSlot(folders, state.slot);
  if (running.is === "startable" && running.version === version)
    return void (await store.change((current) => ({ ...current, answered: id })));
  const now = Math.max(device.clock.now(), launcher.builtAt, state.newestTime);
  if (retryAt(state, version, now) !== null) return void (await store.change((current) => refuse(current, version, id, null, now)));

  const health = await readHealth(folders);
  const baseline = baselineOf(running.is === "startable" && health?.version === running.version ? health : null);
  const switchTo = (slot: State["slot"], reason: string, newestTime: number): Promise<State> =>
    store.change((current) => {
      const returnTo = running.is === "startable" ? { slot: current.slot, version: running.version } : null;
      const next = beginProgram(current, { slot, version, returnTo, reason, baseline, at: device.clock.now() });
      return { ...next, answered: id, newestTime: Math.max(current.newestTime, Math.trunc(newestTime)) };
    });

  const back = running.is === "startable" ? await returnSlot(launcher, state, running.version) : null;
  const packageSlot = await checkSlot(folders, "package");
  const local =
    back?.version === version ? back.slot : packageSlot.is === "startable" && packageSlot.version === version ? "package" : null;
  if (local !== null && state.failed?.version !== version) {
    log("switching to an installed version", { version, slot: local });
    return void (await switchTo(local, `${version} was asked for`, 0));
  }
  if (running.is === "startable" && compareVersions(version, running.version) < 0) {
    const other = back === null ? "there is none" : `that is ${back.version}`;
    throw new Fault("refused", `${version} is older than ${running.version}. It can only return to the version before it; ${other}`);
  }
  const latestTime = Math.max(now, Date.parse(request.requested_at));
  const { target, manifest } = await verifyBundle(launcher, version, latestTime, signal);
  const slot: UpdateSlot = state.slot === "a" || (state.slot === "package" && state.previous === "a") ? "b" : "a";
  log("installing", { version, slot });
  await fillSlot(folders, slot, { path: join(folders.updates, target.path), target, manifest }, launcher.syncTree, signal);
  // Metadata was valid at that time, so a wrong clock in the far future never gets here.
  await switchTo(slot, `${version} was installed`, latestTime);
}

/** The bundle of a version as the signed metadata describes it, with its file compared. @throws Fault why it must not be installed. */
async function verifyBundle(
  { folders, device, version: launcherVersion }: Launcher,
  version: string,
  now: number,
  signal?: AbortSignal,
): Promise<{ target: SignedTarget; manifest: ReleaseManifest }> {
  const root = await trustAnchor(folders.anchors);
  const options = { root, trustFolder: folders.tuf, read: readFromUntrustedFolder(folders.updates), now };
  const releases = await verifyReleases({ ...options, ...(signal !== undefined && { signal }) });
  const name = bundleName(version, device.architecture);
  const target = releases.find(name);
  if (target === null) throw new Fault("refused", `The signed metadata has no ${name}. Publish that version, or ask for another one`);
  const manifest = ReleaseManifest.parse(target.custom);
  if (manifest.version !== version || manifest.architecture !== device.architecture)
    throw new Fault("signature", `The signed metadata of ${name} is of ${manifest.version} for ${manifest.architecture}`);
  if (compareVersions(manifest.launcher_needed, launcherVersion) > 0) {
    const remedy = "Update the package signage-player by apt first";
    throw new Fault("unsupported", `${version} needs the launcher ${manifest.launcher_needed}, here is ${launcherVersion}. ${remedy}`);
  }
  await verifyTarget(target, join(folders.updates, target.path), signal);
  return { target, manifest };
}

async function trustAnchor(anchors: readonly string[]): Promise<Buffer> {
  for (const path of anchors) {
    try {
      return await readFile(path);
    } catch (error) {
      if (!hasErrorCode(error, "ENOENT")) throw error;
    }
  }
  throw new Fault("refused", `There is no trust anchor, so no release is trusted. Put the root.json of your releases at ${anchors[0]}`);
}

/** A message for people. Causes stay in the log: they could quote files that only root may read. */
function refusalOf(error: unknown): string {
  if (isSystemError(error) && error.code === "ENOSPC") return "The disk is full. Free space, or let the player remove content";
  if (isSystemError(error)) return `The disk failed: ${error.code}`;
  if (error instanceof Fault) return error.message;
  throw error;
}
