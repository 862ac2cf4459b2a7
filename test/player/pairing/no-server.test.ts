// The real player without a service: what its page shows.
import { expect, test } from "vitest";
import type { FoundService } from "../../../src/protocol/device/discovery.ts";
import type { Screen } from "../../../src/protocol/scene.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestPlayer } from "../../support/player.ts";

test("[NSV1] a player without a service shows how to set one and what is on its network, takes none by itself, and ends only when it is stopped", async () => {
  await using folder = await temporaryFolder();
  const found = Promise.withResolvers<(services: FoundService[]) => void>();
  const options = {
    machineName: "kiosk-7",
    command: "sudo signage-player setup",
    file: "signage.toml",
    problem: "signage.toml, line 1: server must be an address",
    findServices: async (onChange: (services: FoundService[]) => void, signal: AbortSignal): Promise<never> => {
      found.resolve(onChange);
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      throw signal.reason;
    },
  };
  await using player = new TestPlayer(folder.path, options, new FakeClock());
  const shown = async (isWanted: (screen: Extract<Screen, { is: "no-server" }>) => boolean): Promise<Screen> =>
    (await player.host.sceneThat(({ screen }) => screen.is === "no-server" && isWanted(screen))).screen;
  expect(await shown(({ services }) => services.length === 0)).toMatchObject({
    machine_name: "kiosk-7",
    command: "sudo signage-player setup",
    file: "signage.toml",
    problem: "signage.toml, line 1: server must be an address",
  });
  const service = { name: "Lobby", url: "http://127.0.0.1:9" };
  (await found.promise)([service]);
  expect(await shown(({ services }) => services.length === 1)).toMatchObject({ services: [service] });
  // It did not take the service by itself.
  expect(player.servers).toEqual([]);
  await player.stop();
  expect(String(await player.ended)).toContain("Abort");
});

test("[NSV3] what is wrong with the machine's signage.toml is on the pairing screen of a player that has a service", async () => {
  await using folder = await temporaryFolder();
  const notice = "signage.toml, line 4: rotation must be 0, 90, 180 or 270";
  await using player = new TestPlayer(folder.path, () => "http://127.0.0.1:9", new FakeClock(), { notice });
  const { screen } = await player.host.sceneThat(({ screen: each }) => each.is === "pairing");
  expect(screen).toMatchObject({ notice });
});
