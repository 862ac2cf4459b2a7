// A session's wiring: real files, a real page server and a real service; host and clock are fake.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CorrectedClock } from "../../src/base/clock.ts";
import { DurableFile } from "../../src/base/files/durable-file.ts";
import { OutboundHttp } from "../../src/base/http/outbound-http.ts";
import { silentLog } from "../../src/base/log.ts";
import { AskedSettingsStore } from "../../src/player/control/asked-settings.ts";
import { DeclaredDevices } from "../../src/player/control/declared-devices.ts";
import { DiskHealth } from "../../src/player/storage/disk-health.ts";
import { ServiceApi } from "../../src/player/link/service-api.ts";
import { Identity, type Pairing } from "../../src/player/pairing/identity.ts";
import { PendingReset } from "../../src/player/pairing/pending-reset.ts";
import type { PlayerParts } from "../../src/player/player-parts.ts";
import { Session } from "../../src/player/session.ts";
import { Recovery } from "../../src/player/surface/recovery.ts";
import { Restarts } from "../../src/player/surface/restarts.ts";
import { Surface } from "../../src/player/surface/surface.ts";
import { contentPolicy } from "../../src/player/web-items/outbound-policy.ts";
import { WebItems } from "../../src/player/web-items/web-items.ts";
import type { DesiredState } from "../../src/protocol/device/desired-state.ts";
import type { Scene } from "../../src/protocol/scene.ts";
import { heartbeat, TestService, type Device } from "../service/harness.ts";
import { FakeClock } from "../support/clock.ts";
import { FakeHost } from "../support/fake-host.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fakeMachine, testConfig } from "../support/player.ts";
import { eventually } from "../support/polling.ts";
import { assetOf, desiredOf, imageItem, newId } from "../support/states.ts";

const bytes = Buffer.from("picture");
const asset = assetOf(bytes);
const stored = desiredOf([imageItem(asset, 5_000)], [asset]);

/** Stores a state and its file as an earlier run of the player did. */
async function store(folder: string, desired: DesiredState): Promise<void> {
  await new DurableFile<DesiredState>(join(folder, "desired.json"), (json) => json as DesiredState).write(desired);
  await mkdir(join(folder, "content"), { recursive: true });
  await writeFile(join(folder, "content", asset.sha256), bytes);
}

/** Opens a session; its page shows the session's stages. @param device the paired device whose key and pairing the session has. */
async function openSession(folder: string, server: () => string, device: Device | null = null) {
  const cleanup = new AsyncDisposableStack();
  const base = new FakeClock();
  const clock = new CorrectedClock(base);
  if (device !== null) {
    await new DurableFile<object>(join(folder, "identity.json"), (json) => json as object).write(device.keys);
  }
  const identity = await Identity.open(folder, silentLog);
  const pairing: Pairing = {
    server: server(),
    playerId: device?.playerId ?? stored.player.id,
    playerName: "Lobby",
    serviceKey: device?.access.service_key ?? identity.keys.publicKey,
  };
  const host = new FakeHost(base);
  const api = cleanup.use(new ServiceApi(server));
  const outboundHttp = cleanup.use(new OutboundHttp({ policy: contentPolicy() }));
  const media = () => null;
  const surface = cleanup.use(
    await Surface.open({
      owner: "test",
      rendererFolder: folder,
      port: null,
      media,
      stream: () => null,
      outboundHttp,
      clock,
      log: silentLog,
    }),
  );
  const webItems = cleanup.use(await WebItems.open({ host, surface, media, log: silentLog }));
  cleanup.defer(() => host.close());
  /** The phase at each change that the session reported. */
  const phases: Session["phase"][] = [];
  const disk = new DiskHealth(silentLog);
  const machine = fakeMachine();
  const restarts = await Restarts.open({ folder, machine, clock, disk, restartPlayer: () => undefined });
  const isOffOnPurpose = () => false;
  const recovery = new Recovery({ host, surface, content: () => null, machine, isOffOnPurpose, restarts, clock, log: silentLog });
  const parts: PlayerParts = {
    config: { ...testConfig(folder), deviceZone: "UTC" },
    files: { disk, identity, reset: await PendingReset.open(folder, disk) },
    device: {
      machine,
      asked: await AskedSettingsStore.open(folder, disk),
      declared: await DeclaredDevices.open(testConfig(folder).declared, silentLog),
    },
    http: { api, outboundHttp },
    browser: { host, surface, webItems, recovery },
    updates: null,
    clock,
    log: silentLog,
  };
  const session: Session = await Session.open(parts, {
    pairing,
    status: { heartbeat: async () => heartbeat(), listProblems: async () => [] },
    deviceModules: [],
    onChange: () => phases.push(session.phase),
    onServiceKey: async () => undefined,
  });
  await host.open(surface.hostPage);
  const stop = new AbortController();
  const running = session.run(stop.signal).catch((error: unknown) => error);
  cleanup.defer(async () => {
    stop.abort();
    await running;
  });
  return {
    session,
    host,
    clock: base,
    phases,
    /** Sends the session's stage to the page. */
    show(): void {
      const { stage } = session.playback.plan;
      if (stage === null) throw new Error("nothing is due");
      surface.show({ screen: { is: "stage", stage }, identify: null } satisfies Scene);
    },
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  };
}

test("[WIR9] between the preparation of a state and its first stage the page keeps its screen", async () => {
  await using folder = await temporaryFolder();
  await using service = await TestService.start(join(folder.path, "service"));
  const device = await service.pairDevice();
  await service.showPicture(device);
  await using opened = await openSession(join(folder.path, "player"), () => service.service.url, device);
  const { session, phases } = opened;
  await eventually(() => session.playback.plan.stage !== null);
  const seen = phases.map((phase) => (phase === null ? "keep" : phase.is === "paired" && phase.stage !== null ? "stage" : "preparing"));
  expect([...new Set(seen)]).toEqual(["preparing", "keep", "stage"]);
  expect(seen.slice(seen.indexOf("keep"))).not.toContain("preparing");
});

test("[WIR10] if content is stored, the player connects to the service only after the first picture, but waits at most five seconds", async () => {
  await using folder = await temporaryFolder();
  const requests = { count: 0 };
  const server = (): string => {
    requests.count += 1;
    return "http://127.0.0.1:9";
  };
  for (const isPresented of [true, false]) {
    const player = join(folder.path, String(isPresented));
    await store(player, stored);
    await using opened = await openSession(player, server);
    const { session, clock } = opened;
    await eventually(() => session.playback.plan.stage !== null);
    const before = requests.count;
    clock.advance(4_999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(requests.count).toBe(before);
    if (isPresented) opened.show();
    else clock.advance(1);
    await eventually(() => requests.count > before);
  }
});

test("[WIR11] only items of the present stage are reported as playing", async () => {
  await using folder = await temporaryFolder();
  await store(folder.path, stored);
  await using opened = await openSession(folder.path, () => "http://127.0.0.1:9");
  const { session, host, clock } = opened;
  await eventually(() => session.playback.plan.stage !== null);
  expect(session.nowPlaying).toEqual([]);
  opened.show();
  await eventually(() => session.nowPlaying.length === 1);
  const zone = stored.layout!.zones[0]!;
  const [item] = stored.playlists[0]!.items;
  expect(session.nowPlaying).toEqual([
    { zone_id: zone.id, item_id: item!.id, asset_id: asset.id, presented_at: new Date(clock.now()).toISOString() },
  ]);
  // A report about a zone that is not on the stage does not count.
  host.report({ type: "presented", zone_id: newId("zon"), key: "k", item_id: item!.id, asset_id: null, at: clock.now() });
  host.report({ type: "fallback", zone_id: zone.id, at: clock.now() });
  await eventually(() => session.nowPlaying.length === 0);
});
