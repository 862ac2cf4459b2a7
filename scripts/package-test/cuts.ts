// The part `cuts`: the virtual machine of the image loses its power at random moments, some of them during an update. After each cut it
// boots, has its identity and content, and runs a valid slot.
import { join } from "node:path";
import { readdir, writeFile } from "node:fs/promises";
import { plainImage } from "../../test/support/media/media.ts";
import { type Api, startService } from "../../test/support/programs/programs.ts";
import { SignedReleases } from "../../test/support/signed-releases.ts";
import { Bundles } from "./faulty-bundles.ts";
import { pairingCode, prepareDisk } from "./image-boot.ts";
import { packageVersion } from "./machine.ts";
import type { PackagePart, PackageTest } from "./package-part.ts";
import { findAccelerator, obstacleToQemu, VirtualMachine } from "./virtual-machine.ts";

const bootLimitMs = 60 * 60_000;
// Of the cuts, these fall into an update of the program.
const updateShare = 0.4;
const longestMs = { kvm: 60_000, tcg: 600_000 };
const green = [20, 160, 60] as const;

export const cuts: PackagePart = {
  about: "the image's virtual machine loses its power at random moments: boots, identity and content kept, a valid slot",
  unit: "cuts",
  usual: 100,
  async run(test) {
    const obstacle = obstacleToQemu();
    if (obstacle !== null) return obstacle;
    const { run, work } = test;
    const accelerator = await findAccelerator();
    run.print({ accelerator });
    const releases = await SignedReleases.create(join(work, "releases"));
    await writeFile(join(work, "releases", "root.json"), releases.anchor);
    const good = (await readdir(join(test.newer, "packages"))).find((name) => name.endsWith("_amd64.tar.zst"))!;
    const bundles = new Bundles(join(test.newer, "packages", good), work);
    const flags = ["--insecure-http", "--releases-from", join(work, "releases"), "--releases-root", join(work, "releases", "root.json")];
    await using service = await startService(join(work, "service"), ...flags);
    const disk = await prepareDisk(test, Number(new URL(service.api.url).port), releases.anchor);
    const playerId = await pairFirst(test, accelerator, disk, service.api);
    let updatesBegun = 0;
    for (let cut = 1; cut <= run.amount; cut += 1) {
      const isUpdate = run.random.next() < updateShare;
      const afterMs = run.random.integer(0, longestMs[accelerator]);
      await run.try({ cut, during: isUpdate ? "update" : "playing or booting", after_ms: afterMs }, async () => {
        if (isUpdate) {
          updatesBegun += 1;
          await publishNext(releases, bundles, service.api, playerId, `98.0.${updatesBegun}`);
        }
        {
          await using machine = await VirtualMachine.start(run, accelerator, disk, work, 2 * cut);
          if (isUpdate) await untilContent(test, machine);
          await run.pause(afterMs);
          await machine.cutPower();
        }
        const from = performance.now();
        await using machine = await VirtualMachine.start(run, accelerator, disk, work, 2 * cut + 1);
        await untilContent(test, machine);
        if ((await pairingCode(machine)) !== null) run.violate("the player asked to be paired again");
        const slot = await untilReported(test, service.api, playerId, Date.now());
        run.print({ cut, slot });
        return performance.now() - from;
      });
    }
    const version = await packageVersion(test.packages);
    run.print({ updates_begun: updatesBegun, first_version: version });
    return null;
  },
};

async function pairFirst(test: PackageTest, accelerator: "kvm" | "tcg", disk: string, api: Api): Promise<string> {
  const { run, work } = test;
  await using machine = await VirtualMachine.start(run, accelerator, disk, work, 1);
  let code: string | null = null;
  await run.until("the player logs a pairing code", async () => (code = await pairingCode(machine)) !== null, bootLimitMs);
  const asset = await api.upload("green.png", await plainImage(green));
  const { layoutId } = await api.publish([{ type: "image", asset_id: asset, duration_ms: 1_000, fit: "fill" }]);
  const { id } = await api.ok("POST", "players/pair", { code: code!, name: "Cuts" });
  await api.ok("PATCH", `players/${id}`, { layout_id: layoutId });
  await untilContent(test, machine);
  return id;
}

function untilContent({ run }: PackageTest, machine: VirtualMachine): Promise<void> {
  const isGreen = async (): Promise<boolean> => {
    const pixel = await machine.middle();
    return green.every((part, index) => Math.abs(part - pixel[index]!) <= 12);
  };
  return run.until("the framebuffer shows the content", isGreen, bootLimitMs);
}

/** Waits for a heartbeat since `from`. @returns the slot that the player reports. */
async function untilReported({ run }: PackageTest, api: Api, playerId: string, from: number): Promise<string> {
  let slot = "";
  const isReported = async (): Promise<boolean> => {
    const player = (await api.ok("GET", `players/${playerId}`)) as unknown as {
      last_seen_at: string | null;
      update: { slot: string } | null;
    };
    slot = player.update?.slot ?? "";
    return slot !== "" && player.last_seen_at !== null && Date.parse(player.last_seen_at) > from;
  };
  await run.until("the player reports its slot", isReported, bootLimitMs);
  return slot;
}

async function publishNext(releases: SignedReleases, bundles: Bundles, api: Api, playerId: string, version: string): Promise<void> {
  const { bytes, launcherNeeded } = await bundles.make(null, version);
  await releases.add({ version, architecture: "amd64", launcher_needed: launcherNeeded }, bytes);
  await api.ok("POST", "releases/mirror");
  // Refused until the mirror has it.
  for (;;) {
    const response = await api.call("PATCH", `players/${playerId}`, { release: { version, install: "now" } });
    if (response.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
