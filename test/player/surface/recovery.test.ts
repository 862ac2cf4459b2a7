// The steps of the recovery, and the screens that it and the other states of the player lead to. Both are pure.
import { expect, test } from "vitest";
import {
  addAttempt,
  type Circumstances,
  type DisplayFault,
  isRestart,
  nextAction,
  type RecoveryAction,
  type RecoveryAttempt,
} from "../../../src/player/surface/recovery-ladder.ts";
import { assetOf } from "../../support/states.ts";
import { noProgress } from "../../../src/player/content/download-progress.ts";
import { screenOf, type ScreenContext } from "../../../src/player/playback/screen.ts";

const startMs = 1_000_000;

/** The actions for faults that occur `intervalMs` apart. A restart forgets the other attempts. Each step brings frames unless `isBlank`. */
function actionsFor(
  fault: DisplayFault["is"],
  count: number,
  intervalMs: number,
  { canRevertContent = false, canDrawWithoutGpu = false, canRestartMachine = false, isBlank = false } = {},
): RecoveryAction[] {
  let attempts: RecoveryAttempt[] = [];
  let restarts: RecoveryAttempt[] = [];
  let troubleSince = startMs;
  return Array.from({ length: count }, (_, index) => {
    const now = startMs + index * intervalMs;
    if (intervalMs >= 300_000) troubleSince = now;
    const lastFrameAt = isBlank ? startMs - 1 : now;
    const possible = { canRevertContent, canDrawWithoutGpu, canRestartMachine };
    const action = nextAction(fault, { now, attempts: [...restarts, ...attempts], lastFrameAt, troubleSince, ...possible });
    if (action === "revert-content") canRevertContent = false;
    if (action === "relaunch-without-gpu") canDrawWithoutGpu = false;
    if (isRestart(action)) restarts = [...restarts, { action, at: now }];
    attempts = isRestart(action) ? [] : addAttempt(attempts, action, now, lastFrameAt);
    return action;
  });
}

test("[REC1] if a page keeps failing, it is reloaded, then the browser is relaunched, then the player restarts, then content is withheld", () => {
  const actions = actionsFor("page-crashed", 18, 1_000);
  expect(actions.slice(0, 4)).toEqual(["reload", "reload", "reload", "relaunch"]);
  expect(actions.filter((action) => action === "relaunch")).toHaveLength(4);
  expect(actions.slice(-3)).toEqual(["relaunch", "restart-player", "withhold"]);
});

test("[REC1] a browser that has exited cannot be reloaded", () => {
  expect(actionsFor("browser-exited", 6, 1_000)).toEqual([...Array(4).fill("relaunch"), "restart-player", "withhold"]);
});

test("[REC18] if the browser keeps failing with new content, the content before it plays before anything is restarted, and gets all steps", () => {
  const relaunches = Array(4).fill("relaunch");
  expect(actionsFor("browser-exited", 11, 1_000, { canRevertContent: true })).toEqual([
    ...relaunches,
    "revert-content",
    ...relaunches,
    "restart-player",
    "withhold",
  ]);
  expect(actionsFor("no-frames", 5, 1_000, { canRevertContent: true })).not.toContain("revert-content");
});

test("[REC10] a browser that presents no frames is relaunched, then draws without the GPU, then the player restarts, then content is withheld", () => {
  const withGpu = { canDrawWithoutGpu: true };
  expect(actionsFor("no-frames", 5, 1_000, withGpu)).toEqual([
    "relaunch",
    "relaunch",
    "relaunch-without-gpu",
    "restart-player",
    "withhold",
  ]);
  expect(actionsFor("no-frames", 4, 1_000)).toEqual(["relaunch", "relaunch", "restart-player", "withhold"]);
});

test("[REC20] a browser that keeps failing draws without the GPU before anything is restarted, and after the content before has failed too", () => {
  const relaunches = Array(4).fill("relaunch");
  const withGpu = { canDrawWithoutGpu: true };
  const last = ["relaunch-without-gpu", "restart-player", "withhold"];
  expect(actionsFor("browser-exited", 7, 1_000, withGpu)).toEqual([...relaunches, ...last]);
  for (const fault of ["page-crashed", "page-hung"] as const) {
    expect(actionsFor(fault, 19, 1_000, withGpu).slice(-4)).toEqual(["relaunch", ...last]);
  }
  expect(actionsFor("browser-exited", 12, 1_000, { ...withGpu, canRevertContent: true })).toEqual([
    ...relaunches,
    "revert-content",
    ...relaunches,
    ...last,
  ]);
});

test("[REC21] while no step brings a frame, none is followed by a milder one, however long each takes", () => {
  const relaunches = Array(4).fill("relaunch");
  const steps = [...Array(3).fill("reload"), ...relaunches, "relaunch-without-gpu", "restart-player"];
  for (const intervalMs of [1_000, 30_000, 200_000]) {
    expect(actionsFor("page-hung", 9, intervalMs, { canDrawWithoutGpu: true, isBlank: true })).toEqual(steps);
  }
});

test("[REC13] once faults have followed each other for five minutes, the machine is restarted; a restart that did not help is not repeated within fifteen minutes", () => {
  const restarting = (at: number): RecoveryAttempt => ({ action: "restart-player", at });
  const now = startMs;
  const attempts = [restarting(now - 10_000)];
  const next = (about: Partial<Circumstances>) =>
    nextAction("browser-exited", {
      now,
      attempts,
      lastFrameAt: now,
      troubleSince: now - 300_000,
      canRevertContent: false,
      canDrawWithoutGpu: false,
      canRestartMachine: true,
      ...about,
    });
  expect(next({})).toBe("restart-machine");
  expect(next({ troubleSince: now - 299_000 })).toBe("withhold");
  expect(next({ canRestartMachine: false })).toBe("withhold");
  expect(next({ attempts: [...attempts, { action: "restart-machine", at: now - 60_000 }] })).toBe("withhold");
});

test("[REC14] in a day the recovery restarts the player and the machine at most three times each", () => {
  const perMinute = actionsFor("browser-exited", 1_440, 60_000, { canRestartMachine: true });
  expect(perMinute.filter((action) => action === "restart-player").length).toBeLessThanOrEqual(3);
  const perTenSeconds = actionsFor("browser-exited", 8_639, 10_000, { canRestartMachine: true });
  for (const restart of ["restart-player", "restart-machine"]) expect(perTenSeconds.filter((action) => action === restart)).toHaveLength(3);
  expect(perTenSeconds.at(-1)).toMatch(/relaunch|withhold/);
});

test("[REC2] faults that are far apart do not escalate the recovery", () => {
  expect(new Set(actionsFor("page-crashed", 50, 600_000))).toEqual(new Set(["reload"]));
  expect(new Set(actionsFor("browser-exited", 50, 600_000))).toEqual(new Set(["relaunch"]));
  expect(new Set(actionsFor("no-frames", 50, 600_000))).toEqual(new Set(["relaunch"]));
});

const trouble = { code: "refused" as const, text: "Nothing answers", retry_at: null };
const zone = { id: "zon_x", left: 0, top: 0, width: 1, height: 1, z_index: 0, slots: [] };
const item = {
  type: "text" as const,
  item_id: "itm_x",
  asset_id: null,
  text: "x",
  color: "#fff",
  background_color: "#000",
  align: "center" as const,
  font_size: null,
  font_family: "sans" as const,
  direction: "auto" as const,
};
const full = {
  key: "k",
  width: 1,
  height: 1,
  background_color: "#000",
  zones: [{ ...zone, slots: [{ key: "a", starts_at: 0, ends_at: 1, offset_ms: 0, item }] }],
};

function paired(about: Partial<Extract<ScreenContext["phase"], { is: "paired" }>>): ScreenContext {
  return {
    service: "http://s",
    device: "192.0.2.7 · signage-player 1.0.0",
    withheld: null,
    phase: {
      is: "paired",
      playerName: "Lobby",
      link: { is: "online" },
      known: "content",
      progress: noProgress,
      stage: full,
      safePicture: null,
      ...about,
    },
  };
}

test("[SCN1] playing content stays on the screen, even if the link or the next state fails", () => {
  const stage = { is: "stage", stage: full };
  expect(screenOf(paired({ link: { is: "offline", trouble } }))).toEqual(stage);
  expect(screenOf(paired({ progress: { ...noProgress, is: "failed", detail: "disk" } }))).toEqual(stage);
});

test("[SCN2] the screens for an unpaired player, an unreachable service, an empty player and a player that prepares content are all different", () => {
  const asking: ScreenContext = {
    ...paired({}),
    phase: { is: "unpaired", pairing: { is: "asking", trouble }, enrolment: null, notice: null },
  };
  expect(screenOf(asking)).toMatchObject({ is: "pairing", code: null, trouble, device: "192.0.2.7 · signage-player 1.0.0" });
  expect(screenOf(paired({ known: "nothing", stage: null, link: { is: "offline", trouble } }))).toMatchObject({ is: "preparing", trouble });
  expect(screenOf(paired({ known: "empty", stage: null }))).toMatchObject({ is: "empty", trouble: null });
  expect(screenOf(paired({ stage: null, progress: { ...noProgress, is: "downloading", readyBytes: 1, totalBytes: 2 } }))).toMatchObject({
    is: "preparing",
    ready_bytes: 1,
    total_bytes: 2,
  });
  expect(screenOf(paired({ stage: { ...full, zones: [zone] } }))).toMatchObject({ is: "empty" });
  const waiting = { ...noProgress, is: "waiting" as const, detail: "new content waits for the download window" };
  expect(screenOf(paired({ known: "idle", stage: null, progress: waiting }))).toMatchObject({
    is: "empty",
    trouble: { text: "New content waits for the download window.", retry_at: null },
  });
});

test("[ROM8] a screen that waits for content names what does not fit", () => {
  const shortage = "3.1 MB are missing for asset ast_1 with 4.0 MB; the quota is 1.0 MB";
  const progress = { ...noProgress, is: "failed" as const, detail: shortage, shortage };
  expect(screenOf(paired({ stage: null, progress }))).toMatchObject({
    is: "preparing",
    trouble: { code: "disk", text: expect.stringContaining(shortage), retry_at: null },
  });
});

test("[REC7] content that crashes the browser is withheld, and the screen says so, why, until when and what to do", () => {
  const withheld = { isNow: true, hasFailed: false, fault: "out of memory", failures: 5, since: 1_000, until: 61_000 };
  for (const link of [{ is: "online" as const }, { is: "offline" as const, trouble }]) {
    const screen = screenOf({ ...paired({ link }), withheld });
    expect(screen).toMatchObject({ is: "withheld", player_name: "Lobby", trouble: { retry_at: 61_000 } });
    expect(JSON.stringify(screen)).toMatch(/5 times.*out of memory/);
    expect(JSON.stringify(screen)).toMatch(/Remove the item/);
  }
  // The content is shown again as a trial.
  expect(screenOf({ ...paired({}), withheld: { ...withheld, isNow: false } })).toEqual({ is: "stage", stage: full });
});

test("[REC17] the operator's picture is shown in place of withheld content, unless the browser fails with it too", () => {
  const withheld = { isNow: true, hasFailed: false, fault: "out of memory", failures: 5, since: 1_000, until: 61_000 };
  const safePicture = { ...assetOf(Buffer.from("logo")), width: 300, height: 100 };
  const screen = screenOf({ ...paired({ safePicture }), withheld });
  expect(screen).toMatchObject({
    is: "stage",
    stage: { width: 300, height: 100, zones: [], background_src: `/media/${safePicture.sha256}` },
  });
  expect(screenOf({ ...paired({ safePicture }), withheld: { ...withheld, hasFailed: true } })).toMatchObject({ is: "withheld" });
  expect(screenOf(paired({ safePicture }))).toEqual({ is: "stage", stage: full });
});

test("[SCN3] the empty screen says whether content is assigned, and whether the player is online", () => {
  const failed = { ...noProgress, is: "failed" as const, detail: "disk" };
  expect(screenOf(paired({ known: "empty", stage: null }))).toMatchObject({ link: "online", is_assigned: false });
  expect(screenOf(paired({ known: "idle", stage: null, progress: failed }))).toMatchObject({ link: "online", is_assigned: true });
  expect(screenOf(paired({ stage: { ...full, zones: [zone] }, link: { is: "offline", trouble } }))).toMatchObject({
    link: "offline",
    is_assigned: true,
  });
  expect(screenOf(paired({ known: "empty", stage: null, link: { is: "connecting" } }))).toMatchObject({ link: "connecting" });
});
