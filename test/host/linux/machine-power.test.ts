// busctl is a recorded fake on PATH: the tests must not restart this machine. scripts/package-test/controls.ts asks a real logind.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLinuxMachine } from "../../../src/host/linux/machine.ts";
import { createFakeTools, fails, hangs } from "../../support/fake-tools.ts";
import { temporaryFolder } from "../../support/folder.ts";

const { signal } = new AbortController();
const manager = "call org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager";

/** busctl with these answers of logind. */
const logind = (reboot: string, powerOff: string): string =>
  `case "$5" in CanReboot) echo 's "${reboot}"' ;; CanPowerOff) echo 's "${powerOff}"' ;; Reboot | PowerOff) : ;; *) exit 1 ;; esac`;

test("[PWR1] a player that may, and whom logind lets, restarts its machine and switches it off without asking anybody for a password", async () => {
  await using folder = await temporaryFolder();
  const tools = await createFakeTools(folder.path, { busctl: logind("yes", "yes") });
  const machine = createLinuxMachine(tools.env, "/", { mayControlPower: true });
  // Before it has asked, it is not sure.
  expect([machine.restart, machine.controls.shutdown]).toEqual([null, null]);
  await machine.controls.probe(signal);
  expect(machine.controls.powerObstacles).toEqual({ restart: null, shutdown: null });
  await machine.restart!(signal);
  await machine.controls.shutdown!(signal);
  expect((await tools.calls()).slice(2)).toEqual([`busctl ${manager} Reboot b false`, `busctl ${manager} PowerOff b false`]);
});

test("[PWR2] a player that was not given its machine (SIGNAGE_ALLOW_POWER) never restarts it and does not even ask", async () => {
  await using folder = await temporaryFolder();
  const tools = await createFakeTools(folder.path, { busctl: logind("yes", "yes") });
  const machine = createLinuxMachine(tools.env);
  await machine.controls.probe(signal);
  expect([machine.restart, machine.controls.shutdown]).toEqual([null, null]);
  expect(machine.controls.powerObstacles.restart).toContain("SIGNAGE_ALLOW_POWER=1");
  expect(await tools.calls()).toEqual([]);
});

test("[PWR3] where logind refuses, is missing or hangs, the player is not able to restart its machine, and says why", async () => {
  await using folder = await temporaryFolder();
  const tools = await createFakeTools(folder.path, { busctl: logind("challenge", "yes") });
  const machine = createLinuxMachine(tools.env, "/", { mayControlPower: true });
  const reasonFor = async (script: string | null): Promise<string | null> => {
    if (script === null) await rm(join(tools.folder, "busctl"));
    else await tools.write("busctl", script);
    await machine.controls.probe(signal);
    expect(machine.restart === null).toBe(machine.controls.powerObstacles.restart !== null);
    return machine.controls.powerObstacles.restart;
  };
  expect(await reasonFor(logind("challenge", "yes"))).toContain("polkit rule of the package signage-player is missing");
  expect(machine.controls.shutdown).not.toBeNull();
  expect(await reasonFor(logind("na", "yes"))).toBe("the machine is not able to");
  expect(await reasonFor(logind("inhibited", "yes"))).toContain("inhibited");
  expect(await reasonFor(fails("Failed to connect to bus: No such file or directory"))).toContain("Failed to connect to bus");
  expect(await reasonFor(hangs)).toContain("does not respond");
  expect(await reasonFor(null)).toContain("busctl is not installed");
  expect(await reasonFor(logind("yes", "yes"))).toBeNull();
});

test("[PWR4] a restart that logind does not begin is a fault with its reason", async () => {
  await using folder = await temporaryFolder();
  const tools = await createFakeTools(folder.path, { busctl: logind("yes", "yes") });
  const machine = createLinuxMachine(tools.env, "/", { mayControlPower: true });
  await machine.controls.probe(signal);
  await tools.write("busctl", fails("Call failed: Operation denied due to active block inhibitor"));
  const refusal = { code: "not-applied", message: "busctl: Call failed: Operation denied due to active block inhibitor" };
  await expect(machine.restart!(signal)).rejects.toMatchObject(refusal);
});
