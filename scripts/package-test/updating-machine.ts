// A machine whose player plays content and gets releases from its service's mirror: what the matrix of updates needs of it.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LauncherStatus } from "../../src/protocol/device/updates.ts";
import { SignedReleases } from "../../test/support/signed-releases.ts";
import type { Api } from "../../test/support/programs/programs.ts";
import { service } from "../soak/units/installation.ts";
import type { Bundle } from "./faulty-bundles.ts";
import { Machine } from "./machine.ts";
import type { PackageTest } from "./package-part.ts";

const releasesInside = "/opt/releases";
const anchorInside = "/etc/signage-player/root.json";
const mirrorInside = "/var/lib/signage-service/releases";
// The player writes its first health some seconds after its first frame.
const readyLimitMs = 300_000;

export class UpdatingMachine implements AsyncDisposable {
  readonly machine: Machine;
  readonly releases: SignedReleases;
  #api: Api | null = null;
  #playerId = "";

  private constructor(machine: Machine, releases: SignedReleases) {
    this.machine = machine;
    this.releases = releases;
  }

  /** Installs, pairs and shows content. */
  static async create(test: PackageTest, name: string, disk?: Parameters<typeof Machine.on>[2]): Promise<UpdatingMachine> {
    const folder = join(test.work, `${name}-releases`);
    await mkdir(folder, { recursive: true });
    const releases = await SignedReleases.create(folder);
    await writeFile(join(folder, "root.json"), releases.anchor);
    const writable = { [releasesInside]: folder };
    const machine = await (disk === undefined ? Machine.create(test, name, "screen", writable) : Machine.on(test, name, disk, writable));
    const updating = new UpdatingMachine(machine, releases);
    try {
      await updating.#install();
      return updating;
    } catch (error) {
      await updating[Symbol.asyncDispose]();
      throw error;
    }
  }

  get api(): Api {
    return this.#api!;
  }

  /** Publishes a bundle and waits until players can get it from the service. */
  async publish(version: string, { bytes, launcherNeeded }: Bundle): Promise<void> {
    await this.releases.add({ version, architecture: "amd64", launcher_needed: launcherNeeded }, bytes);
    await this.refreshMirror();
    const has = async (): Promise<boolean> => JSON.stringify(await this.api.ok("GET", "releases")).includes(`"version":"${version}"`);
    await this.machine.test.run.until("the mirror has the bundle", has, readyLimitMs);
  }

  async refreshMirror(): Promise<void> {
    // The answer does not say when the refresh has ended: publish() waits for the bundle.
    await this.api.ok("POST", "releases/mirror");
  }

  /** Restarts the service, which cuts every download. */
  async restartService(): Promise<void> {
    await this.machine.call("systemctl", "restart", service);
    const responds = (): Promise<boolean> =>
      this.api.call("GET", "players").then(
        ({ ok }) => ok,
        () => false,
      );
    await this.machine.test.run.until("the service responds", responds, readyLimitMs);
  }

  /** Tells the player which version to run. Without `install` at once. */
  async want(version: string, install: "now" | "in-window" = "now"): Promise<void> {
    // Always open, for a browser's update too.
    const windows = install === "now" ? {} : { windows: [{}] };
    await this.api.ok("PATCH", `players/${this.#playerId}`, { release: { version, install, ...windows } });
  }

  /** What the launcher says. */
  async status(): Promise<LauncherStatus> {
    return LauncherStatus.parse(JSON.parse(await this.machine.call("cat", "/run/signage-launcher/status.json")));
  }

  /** What the player reports, as operators see it. */
  async reported(): Promise<{ is: string; detail: string | null }> {
    const { update } = (await this.api.ok("GET", `players/${this.#playerId}`)) as unknown as {
      update: { is: string; detail: string | null } | null;
    };
    return { is: update?.is ?? "none", detail: update?.detail ?? null };
  }

  /** Changes a file of the mirror, as a server that lies would. @param fits chooses the file by its name. */
  async damageMirror(folder: "metadata" | "targets", fits: (name: string) => boolean, change: (bytes: Buffer) => Buffer): Promise<void> {
    const path = join(this.machine.folder, mirrorInside, folder);
    const names = (await readdir(path)).filter(fits);
    if (names.length === 0) throw new Error(`the mirror has no such file: ${folder}`);
    // Written over, so that it still belongs to the service.
    for (const name of names) await writeFile(join(path, name), change(await readFile(join(path, name))));
  }

  async #install(): Promise<void> {
    const { machine } = this;
    const flags = `--releases-from ${releasesInside} --releases-root ${releasesInside}/root.json --requests-per-minute 1000000`;
    const port = new URL(machine.serverUrl).port;
    await machine.write("/etc/default/signage-service", `SIGNAGE_PORT=${port}\nSIGNAGE_FLAGS=${flags}\n`);
    await machine.call("install", "-D", "--mode=644", `${releasesInside}/root.json`, anchorInside);
    await machine.addRepository("packages");
    await machine.apt("install", "signage-player", "signage-service");
    await machine.setServer();
    this.#api = await machine.units.pair();
    await machine.units.showsContent();
    const { data } = (await this.#api.ok("GET", "players")) as unknown as { data: [{ id: string }] };
    this.#playerId = data[0].id;
    const isHealthy = (): Promise<boolean> => machine.succeeds("grep", "-q", '"frames":true', "/run/signage-player/health.json");
    await machine.test.run.until("the player writes that it is healthy", isHealthy, readyLimitMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.machine[Symbol.asyncDispose]();
  }
}
