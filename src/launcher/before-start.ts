// Runs as root before each start of the player: counts the start, leaves a program that crashes, and decides which slot runs.
import { chmod, mkdir, readFile } from "node:fs/promises";
import type { SlotName } from "../protocol/device/updates.ts";
import { Fault, reasonOf } from "../base/fault.ts";
import { isReadFailure, isSystemError } from "../base/files/system-error.ts";
import { installedBrowser } from "./browser-packages.ts";
import { publish, publishText, readHealth, readUnitStart, type Launcher } from "./launcher-parts.ts";
import { checkSlot, type SlotCheck } from "./slots.ts";
import { UnitStart, withoutState, type State } from "./state.ts";
import { publishStatus } from "./status.ts";
import { baselineOf, beginBrowser, beginProgram, countStart, failTrial } from "./transitions.ts";

/** A run that ends sooner did not really start. */
const quickMs = 60_000;
/** After so many quick runs in a row the files of the slot are compared with those of the installation. */
const quickStartsUntilCheck = 5;

type Startable = Extract<SlotCheck, { is: "startable" }> & { slot: SlotName };

/** @throws Fault `refused` when no slot can be started. */
export async function beforeStart(launcher: Launcher): Promise<UnitStart> {
  const { folders, device, store, log } = launcher;
  await mkdir(folders.run, { recursive: true });
  await chmod(folders.run, 0o755);
  await publishSerial(launcher);
  const [bootId, before] = [await device.bootId(), await readUnitStart(folders)];
  const isQuick = before !== null && before.bootId === bootId && device.uptime() - before.uptimeMs < quickMs;
  const quickStarts = isQuick ? before.quickStarts + 1 : 0;
  const deep = quickStarts > 0 && quickStarts % quickStartsUntilCheck === 0;

  let program: Startable | undefined;
  const change = store.change(async (current) => {
    const afterChanges = await noticeChanges(launcher, current);
    const count = countStart(afterChanges, bootId);
    let next = count.state;
    if (count.failure !== null) {
      log("the version under test failed", { version: next.trial?.version, reason: count.failure });
      next = countStart(failTrial(next, count.failure, device.clock.now()), bootId).state;
    }
    ({ state: next, program } = await startable(launcher, next, deep && next.trial === null));
    return next;
  });
  const state = await change.catch(async (error: unknown) => {
    if (!isReadFailure(error)) throw error;
    // The screen needs a program. Once the state can be read, the launcher's daemon starts the one that it names.
    log("the state cannot be read: starting what ran last", { reason: reasonOf(error) });
    const fallback = withoutState(before?.slot ?? "package");
    ({ program } = await startable(launcher, fallback, false));
    return fallback;
  });
  const { slot, version, folder } = program!;
  const at = new Date(device.clock.now()).toISOString();
  const unitStart: UnitStart = { slot, version, folder, bootId, at, quickStarts, uptimeMs: device.uptime() };
  await publish(folders.unitStart, UnitStart, unitStart);
  await publishStatus(launcher, state, unitStart);
  log("starting", { slot, version, reason: state.reason });
  return unitStart;
}

/** Copies the machine's serial number to where the player may read it. Machines without such a firmware have none there. */
async function publishSerial({ folders }: Launcher): Promise<void> {
  const serial = await readFile(folders.serialOfFirmware, "utf8").catch((error: unknown) => {
    if (isSystemError(error)) return "";
    throw error;
  });
  if (serial.trim() !== "") await publishText(folders.serial, serial);
}

/** Begins a probation for a program or a browser that apt has replaced. */
async function noticeChanges(launcher: Launcher, state: State): Promise<State> {
  const { folders, device, log } = launcher;
  const [packageSlot, browser] = [await checkSlot(folders, "package"), await installedBrowser(device)];
  const baseline = baselineOf(await readHealth(folders));
  let next = state;
  if (packageSlot.is === "startable" && packageSlot.version !== state.packageVersion) {
    next = { ...next, packageVersion: packageSlot.version };
    if (state.packageVersion !== null && state.slot === "package" && (state.trial === null || state.trial.what === "program")) {
      log("the package's program was replaced", { from: state.packageVersion, to: packageSlot.version });
      const returnTo = await otherSlot(launcher, state);
      const reason = `the package brought ${packageSlot.version}`;
      next = beginProgram(next, { slot: "package", version: packageSlot.version, returnTo, reason, baseline, at: device.clock.now() });
    }
  }
  if (browser === null || browser === next.browser.good) return next;
  if (next.browser.good === null) return { ...next, browser: { ...next.browser, good: browser } };
  // While a program is tested, the browser's own test waits for the end of that.
  if (next.trial !== null || next.browser.restoring) return next;
  log("the browser was replaced", { from: next.browser.good, to: browser });
  return beginBrowser(next, browser, baseline, device.clock.now());
}

/** An update slot to which the package's new program can return. */
async function otherSlot({ folders }: Launcher, { previous }: State): Promise<{ slot: SlotName; version: string } | null> {
  for (const slot of [previous, "a", "b"] as const) {
    if (slot === null || slot === "package") continue;
    const check = await checkSlot(folders, slot);
    if (check.is === "startable") return { slot, version: check.version };
  }
  return null;
}

/** The state with a slot that can be started: the decided one, or the best of the others if that is damaged. */
async function startable(launcher: Launcher, state: State, deep: boolean): Promise<{ state: State; program: Startable }> {
  const { folders, device, log } = launcher;
  const faults: string[] = [];
  let isDecidedUnread = false;
  const isTested = state.trial?.what === "program" && state.trial.is === "probation";
  const candidates = [state.slot, isTested ? state.trial!.returnTo : null, state.previous, "a", "b", "package"] as (SlotName | null)[];
  for (const slot of new Set(candidates.filter((each) => each !== null))) {
    const check = await checkSlot(folders, slot, { deep });
    if (check.is === "startable") {
      const program = { ...check, slot };
      if (slot === state.slot) return { state, program };
      const why = faults[0]!;
      log("the decided slot cannot be started", { slot: state.slot, why, instead: slot });
      // It may be whole: the next start tries it again.
      if (isDecidedUnread) return { state, program };
      const after = isTested ? failTrial(state, why, device.clock.now()) : { ...state, trial: null };
      // Where the version before cannot be started either, there is nothing to compare with.
      const trial = after.slot === slot ? after.trial : null;
      return { state: { ...after, slot, trial, previous: null, reason: why.slice(0, 500) }, program };
    }
    if (slot === state.slot) isDecidedUnread = check.isUnread === true;
    faults.push(`slot ${slot} cannot be started: ${check.why}`);
  }
  throw new Fault("refused", `No program can be started. Run: apt install --reinstall signage-player. ${faults.join("; ")}`);
}
