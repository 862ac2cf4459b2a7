// The part `controls`: the player's unit, user and rights with the real PipeWire, logind and polkit of a Debian in a container.
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rootFolder } from "../../src/main/folders.ts";
import { Container, obstacleToContainers } from "../soak/units/container.ts";
import { debianSystem, SystemCopy } from "./debian.ts";
import type { PackagePart, PackageTest } from "./package-part.ts";

const packaging = join(rootFolder, "packaging/player");
const rule = "usr/share/polkit-1/rules.d/signage-player.rules";
const report = "/var/lib/signage-player/report";
const bootId = "/proc/sys/kernel/random/boot_id";
/** How systemd-nspawn ends, as it says in systemd-nspawn(1) and its `EXIT_FORCE_RESTART`. */
const exitCodes = { restart: 133, shutdown: 0 } as const;
const stopLimitMs = 90_000;
// Neither a console nor a compositor is here: only what surrounds them.
const session = `[Service]
TTYPath=
TTYReset=no
TTYVHangup=no
StandardInput=null
UtmpIdentifier=
ExecStart=
ExecStart=/usr/bin/sleep infinity
ExecStartPost=
`;
// The unit as it is, with another program.
const player = `[Service]
Type=oneshot
WatchdogSec=0
Restart=no
ExecStartPre=
ExecStart=
ExecStart=/opt/signage-player/node_modules/.bin/node /opt/signage-player/scripts/package-test/controls-inside.ts $ACTION
StandardOutput=truncate:${report}
`;
const noStart = "[Install]\nWantedBy=\n";

interface Stage {
  test: PackageTest;
  /** The system's root. */
  root: string;
  container: Container;
  /** Lets the player's unit do one action. @returns what it printed. */
  act: (action: string) => Promise<Record<string, unknown>[]>;
}

const sound: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  async "the session's sound server runs, and the login session's does not"({ container, test: { run } }) {
    const sounds = ["pipewire", "wireplumber", "pipewire-pulse"].map((name) => `signage-sound@${name}.service`);
    const isActive = async (): Promise<boolean> => {
      // Outputs of a machine without a sound card, which the sound server keeps.
      const made = await container.call("sh", "-c", asPlayer(`${nullSink("one")} && ${nullSink("two")}`)).catch(() => "");
      return made !== "";
    };
    await run.until("the sound server takes outputs", isActive, 30_000);
    for (const unit of sounds) await container.call("systemctl", "is-active", unit);
    const own = await container.call("sh", "-c", "systemctl --user --machine=signage@ is-active pipewire.socket wireplumber.service || :");
    if (own.trim() !== "inactive\ninactive") run.violate(`the login session has a sound server of its own: ${own}`);
  },
  async "volume, mute and output are set by name and read back"({ container, act, test: { run } }) {
    const playing = container.start("sh", "-c", asPlayer("exec pacat --playback /dev/zero"));
    try {
      await run.until("a stream plays", async () => (await sinkInputs(container)).length > 0, 30_000);
      const lines = await act("sound");
      for (const line of lines) run.print({ said: JSON.stringify(line) });
      const [first, ...rest] = lines;
      if (first?.["by"] !== "wpctl" || (first["outputs"] as unknown[]).length !== 2) run.violate(`no outputs: ${JSON.stringify(first)}`);
      for (const applied of rest.flatMap((line) => Object.values(line) as { asked: unknown; read_back: unknown }[])) {
        if (applied.asked !== applied.read_back) run.violate(`asked and read back differ: ${JSON.stringify(applied)}`);
      }
      const [stream] = await sinkInputs(container);
      const heard = (await container.call("sh", "-c", asPlayer("pactl --format=json list sinks"))).trim();
      const sinks = JSON.parse(heard) as { index: number; name: string }[];
      const [chosen] = rest
        .map((line) => line["output"] as { asked: string } | undefined)
        .filter((each) => each !== undefined)
        .slice(-1);
      const playsOn = sinks.find(({ index }) => index === stream?.sink)?.name;
      run.print({ stream_plays_on: playsOn ?? null });
      if (playsOn !== chosen?.asked) run.violate(`the stream plays on ${playsOn}, not on ${chosen?.asked}`);
    } finally {
      await playing[Symbol.asyncDispose]();
    }
  },
};

/** A command line as the player's user, with the player's environment. */
function asPlayer(command: string): string {
  return `setpriv --reuid=signage --regid=signage --init-groups env XDG_RUNTIME_DIR=/run/signage-session sh -c '${command}'`;
}

function nullSink(name: string): string {
  return `pactl load-module module-null-sink sink_name=output-${name} sink_properties=device.description=Output-${name}`;
}

async function sinkInputs(container: Container): Promise<{ sink: number }[]> {
  return JSON.parse(await container.call("sh", "-c", asPlayer("pactl --format=json list sink-inputs"))) as { sink: number }[];
}

export const controls: PackagePart = {
  about: "the player's unit with real PipeWire, logind and polkit: volume, outputs, reboot, power off, and the refusal without the rule",
  unit: "runs",
  usual: 1,
  async run(test) {
    const obstacle = obstacleToContainers();
    if (obstacle !== null) return obstacle;
    const system = await debianSystem(test, { content: "controls", architecture: "amd64" });
    for (let count = 1; count <= test.run.amount; count += 1) {
      await using copy = await SystemCopy.create(system, join(test.work, `machine-${count}`));
      await install(copy.folder);
      await tryAll(test, copy.folder);
    }
    return null;
  },
};

/** What the package would install of units, user and rights. */
async function install(root: string): Promise<void> {
  const etc = join(root, "etc/systemd/system");
  for (const unit of await readdir(join(packaging, "units"))) await copyFile(join(packaging, "units", unit), join(etc, unit));
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(root, path, ".."), { recursive: true });
    await writeFile(join(root, path), text);
  };
  await write("etc/systemd/system/signage-session.service.d/bare.conf", session);
  await write("etc/systemd/system/signage-player.service.d/inside.conf", player + noStart);
  await write("usr/lib/sysusers.d/signage-player.conf", await readFile(join(packaging, "system/sysusers.conf"), "utf8"));
  await write("usr/lib/tmpfiles.d/signage-player.conf", await readFile(join(packaging, "system/tmpfiles.conf"), "utf8"));
  for (const unit of ["pipewire.service", "pipewire.socket", "pipewire-pulse.service", "pipewire-pulse.socket", "wireplumber.service"]) {
    await write(`usr/lib/systemd/user/${unit}.d/signage-player.conf`, await readFile(join(packaging, "system/sound-user.conf"), "utf8"));
  }
  await write(rule, await readFile(join(packaging, "system/polkit.rules"), "utf8"));
}

async function tryAll(test: PackageTest, root: string): Promise<void> {
  const { run } = test;
  const boot = async (): Promise<Stage> => {
    const container = await Container.boot(root, run, { isKept: true });
    await container.call("systemctl", "start", "signage-session.service");
    const act = async (action: string): Promise<Record<string, unknown>[]> => {
      await container.call("sh", "-c", `mkdir -p /etc/signage-player && echo ACTION=${action} > /etc/signage-player/player.env`);
      await container.call("systemctl", "start", "signage-player.service");
      const text = await container.call("cat", report);
      return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Record<string, unknown>]));
    };
    return { test, root, container, act };
  };
  const attempt = (about: string, check: () => Promise<unknown>): Promise<void> =>
    run.try({ check: about }, async () => {
      const begun = performance.now();
      await check();
      return performance.now() - begun;
    });
  let stage = await boot();
  try {
    for (const [about, check] of Object.entries(sound)) await attempt(about, () => check(stage));
    await attempt("without the polkit rule, the player knows that it may not", async () => {
      await rm(join(root, rule));
      await stage.container.call("systemctl", "restart", "polkit.service");
      const [said] = await stage.act("power");
      run.print({ without_rule: JSON.stringify(said) });
      const obstacles = Object.values((said?.["obstacles"] ?? {}) as Record<string, string | null>);
      if (obstacles.length !== 2 || obstacles.includes(null)) run.violate("it may do so without the rule");
      await copyFile(join(packaging, "system/polkit.rules"), join(root, rule));
      await stage.container.call("systemctl", "restart", "polkit.service");
    });
    for (const action of ["restart", "shutdown"] as const) {
      await attempt(`${action} ends the machine's run, and the next one has another id`, async () => {
        const before = (await stage.container.call("cat", bootId)).trim();
        const [said] = await stage.act("power");
        run.print({ with_rule: JSON.stringify(said) });
        if (said?.["run"] !== before) run.violate("the player's unit sees another run of the machine");
        // The unit is stopped with the machine, so its answer may be lost: the machine's exit code says whether it worked.
        stage.act(action).catch(() => undefined);
        const code = await Promise.race([stage.container.untilEnded(), run.pause(stopLimitMs)]);
        run.print({ action, exit_code: code ?? null });
        if (code !== exitCodes[action]) run.violate(`the machine ended with ${String(code)}`);
        await stage.container.kill();
        stage = await boot();
        const after = (await stage.container.call("cat", bootId)).trim();
        run.print({ action, run_before: before, run_after: after });
        if (after === before) run.violate("the run of the machine is the same");
      });
    }
  } finally {
    await stage.container[Symbol.asyncDispose]();
  }
}
