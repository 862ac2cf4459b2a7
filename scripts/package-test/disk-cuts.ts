// The part `disk-cuts`: what `cuts` does, with a container instead of a virtual machine, because an emulated processor is too slow for
// many cuts. The disk's state of one instant is kept, everything ends, and the machine boots from that state.
import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { rootFolder } from "../../src/main/folders.ts";
import { player } from "../soak/units/installation.ts";
import { obstacleToContainers } from "../soak/units/container.ts";
import { CutDisk } from "./cut-disk.ts";
import { debianSystem } from "./debian.ts";
import { Bundles } from "./faulty-bundles.ts";
import { startLimitMs } from "./machine.ts";
import type { PackagePart, PackageTest } from "./package-part.ts";
import { UpdatingMachine } from "./updating-machine.ts";

const repair = "usr/lib/signage-image/repair";
// Longer than a download, unpacking and the switch take.
const longestMs = { update: 60_000, apt: 45_000, playing: 30_000, booting: 30_000 } as const;
type During = keyof typeof longestMs;

export const diskCuts: PackagePart = {
  about: "power cuts of a disk with a container: boots, identity and content kept, a valid slot; during updates, apt, boots",
  unit: "cuts",
  usual: 100,
  async run(test) {
    const obstacle = obstacleToContainers();
    if (obstacle !== null) return obstacle;
    if (spawnSync("mkfs.xfs", ["-V"]).error !== undefined) return "xfsprogs is missing";
    const { run, work } = test;
    const good = (await readdir(join(test.newer, "packages"))).find((name) => name.endsWith("_amd64.tar.zst"))!;
    const bundles = new Bundles(join(test.newer, "packages", good), work);
    const disk = await CutDisk.create(await debianSystem(test, { content: "screen", architecture: "amd64" }), work);
    await using updating = await UpdatingMachine.create(test, "machine", disk);
    await prepare(updating);
    let updates = 0;
    for (let cut = 1; cut <= run.amount; cut += 1) {
      const during = chooseMoment(run.random.next());
      const afterMs = run.random.integer(0, longestMs[during]);
      await run.try({ cut, during, after_ms: afterMs }, async () => {
        if (during === "update") {
          updates += 1;
          const version = `98.0.${updates}`;
          await updating.publish(version, await bundles.make(null, version));
          await updating.want(version);
        }
        return cutAndCheck(test, updating, disk, during, afterMs);
      });
    }
    return null;
  },
};

/** Of the cuts, two fifths fall into an update and a tenth into apt. */
function chooseMoment(random: number): During {
  if (random < 0.4) return "update";
  if (random < 0.5) return "apt";
  return random < 0.75 ? "playing" : "booting";
}

/** The repair of the image, and a slow apt that is to be cut. */
async function prepare({ machine }: UpdatingMachine): Promise<void> {
  const files = join(rootFolder, "packaging/image/files");
  await cp(join(files, repair), join(machine.folder, repair), { recursive: true });
  await cp(join(files, "etc/systemd/system/signage-repair.service"), join(machine.folder, "etc/systemd/system/signage-repair.service"));
  await cp(join(files, "usr/sbin/policy-rc.d"), join(machine.folder, "usr/sbin/policy-rc.d"));
  await machine.call("systemctl", "enable", "signage-repair.service");
  // apt keeps what it installed, as on a machine that downloads.
  await machine.apt("install", "--download-only", "--reinstall", "chromium", "chromium-common");
}

async function cutAndCheck(test: PackageTest, updating: UpdatingMachine, disk: CutDisk, during: During, afterMs: number): Promise<number> {
  const { run } = test;
  const { machine } = updating;
  const codes = machine.units.pairingCodes;
  if (during === "booting") await machine.reboot();
  // It is cut, so its failure says nothing.
  const apt =
    during === "apt"
      ? machine.apt("install", "--reinstall", "signage-player", "chromium", "chromium-common").then(
          () => true,
          () => false,
        )
      : Promise.resolve(true);
  await run.pause(afterMs);
  await disk.keepState();
  const before = await machine.call("dpkg", "--audit").catch(() => "");
  await machine.cutPower();
  await apt;
  await disk.returnToState();
  const from = performance.now();
  await machine.boot();
  await machine.untilActive(player);
  await machine.units.showsContent();
  const tookMs = performance.now() - from;
  const { slot, version, probation } = await updating.status();
  await machine.call("test", "-s", "/var/lib/signage-player/identity.json");
  const audit = (await machine.call("dpkg", "--audit")).trim();
  run.print({ slot, version, in_probation: probation !== null, apt_was_interrupted: before.trim() !== "", limit_ms: startLimitMs });
  if (audit !== "") run.violate(`packages are left half installed: ${audit}`);
  if (machine.units.pairingCodes > codes) run.violate("the player asked to be paired again");
  return tookMs;
}
