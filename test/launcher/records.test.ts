// The launcher's own records on machines whose clocks have fractions of a millisecond, as real ones do.
import { expect, test } from "vitest";
import { StateStore } from "../../src/launcher/state.ts";
import { LauncherRig } from "../support/launcher.ts";

test("[RCO5] a version that was installed while the clock stood between two milliseconds is still chosen after a reboot", async () => {
  await using rig = await LauncherRig.create();
  rig.clock.step(0.25);
  await rig.offer("1.1.0");
  await rig.ask("1.1.0");
  expect(rig.version).toBe("1.1.0");
  await rig.boot();
  expect(rig.version).toBe("1.1.0");
  expect(await rig.status()).toMatchObject({ slot: "a", version: "1.1.0", previous_version: "1.0.0" });
});

test("[RCO6] a launcher that makes a state that it could not read again keeps the one before, and says so", async () => {
  await using rig = await LauncherRig.create();
  const said: string[] = [];
  const store = new StateStore(rig.folders, rig.clock, (message, fields) => said.push(`${message} ${JSON.stringify(fields)}`));
  const before = await store.change((state) => ({ ...state, reason: "as tested" }));
  expect(await store.change((state) => ({ ...state, newestTime: 0.5 }))).toEqual(before);
  expect(await store.read()).toEqual(before);
  expect(said).toEqual([expect.stringContaining("newestTime")]);
});
