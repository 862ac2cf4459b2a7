// The matrix of updates: what each release or browser does, and how it must end.
import { player } from "../soak/units/installation.ts";
import { waitUntil } from "../../test/support/polling.ts";
import type { Bundles, Fault } from "./faulty-bundles.ts";
import type { UpdatingMachine } from "./updating-machine.ts";
import { replaceBrowser } from "./browser-deb.ts";

export interface CaseStage {
  updating: UpdatingMachine;
  bundles: Bundles;
  /** The version of the packages, and the higher one. */
  version: string;
  higher: string;
}

export interface CaseResult {
  /** How the launcher or the player says that it ended. */
  outcome: string;
  detail: string | null;
  control: string | null;
}

export interface UpdateCase {
  expected: "kept" | "rolled-back" | "refused";
  run: (stage: CaseStage) => Promise<CaseResult>;
}

// Ten minutes of probation, and again for the control test; the rest is for downloads, restarts and a busy machine.
const endLimitMs = 75 * 60_000;
const dayMs = 86_400_000;
const refusalLimitMs = 15 * 60_000;

export const updateCases: Readonly<Record<string, UpdateCase>> = {
  good: { expected: "kept", run: (stage) => install(stage, null) },
  "crashes at start": faulty("crashes at start"),
  "crashes after five minutes": faulty("crashes after five minutes"),
  hangs: faulty("hangs"),
  "presents no frames": faulty("presents no frames"),
  leaks: faulty("leaks"),

  "wrong hash": {
    expected: "refused",
    async run(stage) {
      await publish(stage, null);
      await stage.updating.damageMirror("targets", isBundle, flipLastByte);
      return refusal(stage, stage.higher);
    },
  },
  "wrong signature": {
    expected: "refused",
    async run(stage) {
      await publish(stage, null);
      const flipSignature = (bytes: Buffer): Buffer =>
        Buffer.from(bytes.toString("utf8").replace(/"sig":"(.)/g, (_, digit: string) => `"sig":"${digit === "0" ? "1" : "0"}`));
      await stage.updating.damageMirror("metadata", isTimestamp, flipSignature);
      return refusal(stage, stage.higher);
    },
  },
  "expired metadata": {
    expected: "refused",
    async run(stage) {
      const { releases, machine } = stage.updating;
      // Valid while the mirror fetches it, and expired when the player does: what is signed now is valid for 30 days from "now".
      const validMs = 180_000;
      const publishedAt = Date.now();
      releases.now = publishedAt - 30 * dayMs + validMs;
      await publish(stage, null);
      await machine.test.run.pause(Math.max(0, publishedAt + validMs + 1_000 - Date.now()));
      return refusal(stage, stage.higher);
    },
  },
  "older version offered": {
    expected: "refused",
    async run(stage) {
      const older = "0.0.1";
      await stage.updating.publish(older, await stage.bundles.make(null, older));
      return refusal(stage, older);
    },
  },
  "disk full": {
    expected: "refused",
    async run(stage) {
      await publish(stage, null);
      await stage.updating.machine.call("mount", "-t", "tmpfs", "-o", "size=64M,mode=755", "tmpfs", "/var/lib/signage-launcher/slots");
      return refusal(stage, stage.higher);
    },
  },
  "cut download": {
    expected: "kept",
    async run(stage) {
      await publish(stage, null);
      await stage.updating.want(stage.higher);
      for (let cut = 0; cut < 5; cut += 1) {
        await stage.updating.machine.test.run.pause(1_000);
        await stage.updating.restartService();
      }
      return ending(stage);
    },
  },
  "lying server": {
    expected: "refused",
    async run(stage) {
      // It offers metadata from before the version that it wants installed, and half of each bundle. Its API accepts only versions that
      // it has, so the player is stopped until it lies.
      const { updating } = stage;
      const before = await updating.releases.save();
      await publish(stage, null);
      await updating.machine.call("systemctl", "stop", player);
      await updating.want(stage.higher);
      await updating.damageMirror("metadata", isTimestamp, () => before.get("timestamp.json")!);
      await updating.damageMirror("targets", isBundle, (bytes) => bytes.subarray(0, bytes.length / 2));
      await updating.machine.call("systemctl", "start", player);
      return untilRefused(stage, stage.higher);
    },
  },

  "Chromium upgraded while playing": {
    expected: "kept",
    async run(stage) {
      await alwaysInWindow(stage);
      return ending(stage, await replaceBrowser(stage.updating.machine, "whole"));
    },
  },
  "broken Chromium": {
    expected: "rolled-back",
    async run(stage) {
      await alwaysInWindow(stage);
      return ending(stage, await replaceBrowser(stage.updating.machine, "broken"));
    },
  },
};

const isBundle = (name: string): boolean => name.endsWith(".tar.zst");
const isTimestamp = (name: string): boolean => name === "timestamp.json";

function faulty(fault: Fault): UpdateCase {
  return { expected: "rolled-back", run: (stage) => install(stage, fault) };
}

async function publish({ updating, bundles, higher }: CaseStage, fault: Fault | null): Promise<void> {
  await updating.publish(higher, await bundles.make(fault));
}

async function install(stage: CaseStage, fault: Fault | null): Promise<CaseResult> {
  await publish(stage, fault);
  await stage.updating.want(stage.higher);
  return ending(stage);
}

/** Browsers change in the maintenance window, which is always open from now on. */
async function alwaysInWindow({ updating, version }: CaseStage): Promise<void> {
  await updating.want(version, "in-window");
}

/** Waits until the attempt with a version has ended, and after a rollback until the test of the version before has ended as well. */
async function ending({ updating, higher }: CaseStage, version = higher): Promise<CaseResult> {
  let result: CaseResult | null = null;
  const hasEnded = async (): Promise<boolean> => {
    updating.machine.test.run.signal.throwIfAborted();
    const attempt = (await updating.status()).last_attempt;
    if (attempt === null || attempt.version !== version) return false;
    if (attempt.outcome === "probation" || attempt.control === "pending") return false;
    result = { outcome: attempt.outcome, detail: attempt.detail, control: attempt.control };
    return true;
  };
  await waitUntil(`the attempt with ${version} has ended`, hasEnded, endLimitMs);
  return result!;
}

/** Asks for a version and waits until the player says that it does not install it. */
async function refusal(stage: CaseStage, wanted: string): Promise<CaseResult> {
  await stage.updating.want(wanted);
  return untilRefused(stage, wanted);
}

async function untilRefused({ updating, version }: CaseStage, wanted: string): Promise<CaseResult> {
  let last = { is: "none", detail: null as string | null };
  const isRefused = async (): Promise<boolean> => {
    last = await updating.reported();
    // A player that has just started does not know the time until the service answers.
    return ["blocked", "failed"].includes(last.is) && last.detail?.includes("does not know the time") !== true;
  };
  await updating.machine.test.run.until(`the player refuses ${wanted}`, isRefused, refusalLimitMs).catch((error: unknown) => {
    throw new Error(`${String(error)}; it says ${JSON.stringify(last)}`, { cause: error });
  });
  const { version: running } = await updating.status();
  if (running !== version) throw new Error(`${running} runs`);
  return { outcome: "refused", detail: last.detail, control: null };
}

function flipLastByte(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  changed[changed.length - 1]! ^= 1;
  return changed;
}
