// The real player whose network blocks WebSockets, shows a captive portal or has only IPv6, with a real service.
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { finalStatuses } from "../../../src/protocol/device/commands.ts";
import { TestService } from "../../service/harness.ts";
import { FakeClock } from "../../support/clock.ts";
import { startFaultyProxy } from "../../support/network/faulty-proxy.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestPlayer } from "../../support/player.ts";
import { eventually } from "../../support/polling.ts";

/** Pairs the player, and resolves once it has presented a picture. @param pass lets time pass. @returns the player's id. */
async function showPicture(service: TestService, player: TestPlayer, pass: () => void): Promise<string> {
  const claimed = await service.call("POST", "players/pair", { code: await player.pairingCode(), name: "Lobby" });
  await service.showPicture({ playerId: claimed.body.id });
  await eventually(() => {
    if (player.host.presented.length > 0) return true;
    pass();
    return false;
  });
  return claimed.body.id as string;
}

test("[LNK14] with WebSockets blocked every command is executed within ten seconds, and the player reports connection-impaired", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using service = await TestService.start(join(folder.path, "service"), { clock });
  await using proxy = await startFaultyProxy(service.service.url);
  await using player = new TestPlayer(join(folder.path, "player"), () => proxy.url, clock);
  const pass = (): void => {
    clock.advance(500);
    player.host.presentDue();
  };
  const playerId = await showPicture(service, player, pass);
  await player.line("the socket is blocked: polling");
  // By then the player waits up to a minute between two attempts to open a socket.
  await eventually(() => {
    pass();
    return proxy.upgrades > 8;
  });
  for (let command = 0; command < 6; command += 1) {
    const sent = await service.call("POST", `players/${playerId}/commands`, { type: "identify", args: { duration_ms: 5_000 } });
    const sentAt = clock.now();
    await eventually(async () => {
      const { status } = (await service.call("GET", `players/${playerId}/commands/${sent.body.id}`)).body;
      if (finalStatuses.includes(status)) return true;
      if (clock.now() - sentAt < 10_000) pass();
      return false;
    });
  }
  const problem = await eventually(async () => {
    pass();
    const { problems } = (await service.call("GET", `players/${playerId}`)).body;
    return (problems as { code: string; detail: string }[]).find(({ code }) => code === "connection-impaired") ?? null;
  });
  expect(problem.detail).toMatch(/has to poll, because its socket fails \(.*403/);
  await service.call("POST", `players/${playerId}/commands`, { type: "identify", args: { duration_ms: 60_000 } });
  await eventually(() => {
    pass();
    return player.host.scene!.identify?.lines.includes(problem.detail) === true;
  });
});

test("[LNK15] a captive portal after the pairing is named on the identify overlay and in a later heartbeat; the content stays", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using service = await TestService.start(join(folder.path, "service"), { clock });
  await using proxy = await startFaultyProxy(service.service.url);
  await using player = new TestPlayer(join(folder.path, "player"), () => proxy.url, clock);
  const { host } = player;
  const pass = (): void => {
    clock.advance(500);
    host.presentDue();
  };
  const playerId = await showPicture(service, player, pass);
  await service.call("POST", `players/${playerId}/commands`, { type: "identify", args: { duration_ms: 300_000 } });
  await eventually(() => {
    pass();
    return host.scene!.identify !== null;
  });
  expect(host.scene!.identify!.lines.join()).not.toContain("portal");
  const seen = host.scenes.length;
  proxy.lieWith((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<h1>Accept our terms</h1>");
    return true;
  });
  await eventually(() => {
    pass();
    return host.scene!.identify?.lines.some((line) => line.includes("captive portal")) === true;
  });
  for (let s = 0; s < 90; s += 0.5) pass();
  expect([...new Set(host.scenes.slice(seen).map(({ screen }) => screen.is))]).toEqual(["stage"]);
  proxy.lieWith(null);
  const problem = await eventually(async () => {
    pass();
    const { problems } = (await service.call("GET", `players/${playerId}`)).body;
    return (problems as { code: string; detail: string }[]).find(({ code }) => code === "connection-impaired") ?? null;
  });
  expect(problem.detail).toMatch(/was unreachable for \d+ min\..*captive portal/);
});

test("[LNK16] a player pairs, connects and plays over IPv6 alone", async (context) => {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  if (!addresses.some(({ address }) => address === "::1")) return context.skip("this machine has no IPv6");
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  await using service = await TestService.start(join(folder.path, "service"), { clock, host: "::1" });
  const url = service.service.url;
  expect(url).toMatch(/^http:\/\/\[::1\]:/);
  await using player = new TestPlayer(join(folder.path, "player"), () => url, clock);
  await showPicture(service, player, () => {
    clock.advance(500);
    player.host.presentDue();
  });
  await player.line("connected");
});
