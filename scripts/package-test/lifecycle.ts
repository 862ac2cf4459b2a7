// The part `lifecycle`: the packages on a machine that has nothing, from the installation to the purge.
import { player, service, session } from "../soak/units/installation.ts";
import { obstacleToContainers } from "../soak/units/container.ts";
import { DarkTime } from "./dark-time.ts";
import { Machine, packageVersion } from "./machine.ts";
import type { PackagePart, PackageTest } from "./package-part.ts";

const units = [session, player, "signage-launcher.service"];
// A player restarts within 10 s on an idle machine; the rest is for a busy one.
const upgradeDarkLimitMs = 60_000;

interface Stage {
  test: PackageTest;
  machine: Machine;
}

type Check = (stage: Stage) => Promise<void>;

/** In this order: each begins with what the one before left. */
const checks: Readonly<Record<string, Check>> = {
  async "apt installs both packages from the signed repository, and the screen says what is missing"({ machine, test: { run } }) {
    await machine.addRepository("packages");
    // grim only looks at the display.
    await machine.apt("install", "signage-player", "signage-service", "grim");
    await machine.untilActive(...units, service);
    await machine.untilShown("no server");
    const failed = await machine.call("systemctl", "list-units", "--failed", "--plain", "--no-legend", "signage*");
    if (failed.trim() !== "") run.violate(`failed units: ${failed}`);
  },

  async "setup sets the server, and the screen shows the pairing code"({ machine, test: { run } }) {
    await machine.setServer();
    await run.until("a pairing code is logged", () => machine.units.pairingCodes > 0, 300_000);
    await machine.untilShown("pairing code");
  },

  async "the player pairs and shows content"({ machine }) {
    await machine.units.pair();
    await machine.units.showsContent();
    await machine.untilActive(...units);
  },

  async "a reboot brings the content back"({ machine, test: { run } }) {
    await machine.reboot();
    await machine.untilActive(...units, service);
    await machine.units.showsContent();
    if (await hasPairingScreen(machine)) run.violate("the player asked to be paired again");
  },

  async "an upgrade to a higher version keeps everything"({ machine, test }) {
    const { run } = test;
    await machine.addRepository("newer");
    {
      await using dark = new DarkTime(() => machine.units.showsItem());
      await machine.apt("upgrade");
      await machine.untilActive(...units, service);
      await machine.units.showsContent();
      run.print({ upgrade_dark_ms: Math.round(dark.longestMs), seen_every_ms: Math.round(dark.worstIntervalMs) });
      if (dark.longestMs > upgradeDarkLimitMs) run.violate(`the screen was dark for ${Math.round(dark.longestMs)} ms`);
    }
    const version = await packageVersion(test.newer);
    const shown = await machine.call("signage-player", "--version");
    if (!shown.includes(version)) run.violate(`signage-player --version says ${shown.trim()} after the upgrade to ${version}`);
    if (await hasPairingScreen(machine)) run.violate("the player asked to be paired again");
  },

  async "remove ends everything and keeps identity and content"({ machine, test: { run } }) {
    await machine.apt("remove", "signage-player");
    const left = (await machine.units.processesOf("signage")).filter((name) => /chrom|node|labwc/i.test(name));
    if (left.length > 0) run.violate(`processes are left: ${left.join(", ")}`);
    await machine.call("test", "-s", "/var/lib/signage-player/identity.json");
    if (await machine.succeeds("test", "-e", "/usr/bin/signage-player")) run.violate("the command is left");
  },

  async "an installation after that plays without new pairing"({ machine, test: { run } }) {
    const from = await now(machine);
    await machine.apt("install", "signage-player");
    await machine.untilActive(...units);
    await machine.units.showsContent();
    if (await hasPairingScreen(machine, from)) run.violate("the player asked to be paired again");
  },

  async "purge leaves nothing"({ machine, test: { run } }) {
    await machine.apt("purge", "signage-player", "signage-service");
    const skip = ["/proc", "/sys", "/dev", "/run/host", "/opt", "/var/lib/apt/lists", "/var/cache/apt", "/var/log", "/etc/apt"];
    const prune = skip.map((path) => `-path ${path} -prune -o`).join(" ");
    // What this test wrote, and what systemd keeps of units until the next boot.
    const found = await machine.call(
      "sh",
      "-c",
      `find / ${prune} -iname '*signage*' -print | grep -v -e '^/etc/systemd/system/${session}.d' || :`,
    );
    if (found.trim() !== "") run.violate(`purge left: ${found.trim().split("\n").join(", ")}`);
    for (const user of ["signage", "signage-service"])
      if (await machine.succeeds("getent", "passwd", user)) run.violate(`purge left the user ${user}`);
  },
};

export const lifecycle: PackagePart = {
  about: "install from the signed repository, pair, play, reboot, upgrade, remove, reinstall, purge",
  unit: "machines",
  usual: 1,
  async run(test) {
    const obstacle = obstacleToContainers();
    if (obstacle !== null) return obstacle;
    for (let count = 1; count <= test.run.amount; count += 1) {
      await using machine = await Machine.create(test, `lifecycle-${count}`, "bare");
      for (const [check, attempt] of Object.entries(checks)) {
        await test.run.try({ machine: count, check }, async () => {
          const from = performance.now();
          await attempt({ test, machine });
          return performance.now() - from;
        });
      }
    }
    return null;
  },
};

/** Whether the player showed a pairing code in this boot. @param since as journalctl understands it. */
async function hasPairingScreen(machine: Machine, since = "-1d"): Promise<boolean> {
  const text = await machine.call("journalctl", "--boot", "--output=cat", `--since=${since}`, `--unit=${player}`);
  return text.includes('"msg":"pairing code"');
}

async function now(machine: Machine): Promise<string> {
  return `@${(await machine.call("date", "+%s")).trim()}`;
}
