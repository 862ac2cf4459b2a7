// The units of packaging/ in a container, running this checkout: their states, the player's log, and the picture on the display.
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plainImage } from "../../../test/support/media/media.ts";
import { Api, type Program } from "../../../test/support/programs/programs.ts";
import type { SoakRun } from "../soak-run.ts";
import type { Container } from "./container.ts";

export const session = "signage-session.service";
export const player = "signage-player.service";
export const service = "signage-service.service";

/** How long a unit and its content may take to start on a busy machine. */
export const startLimitMs = 90_000;
const colors = [
  [220, 30, 40],
  [20, 160, 60],
  [30, 60, 200],
] as const;
const tolerance = 12;
const checkout = "/opt/signage-player";
const program = `${checkout}/node_modules/.bin/node ${checkout}/src/main/cli.ts`;
// The changes: a container has no console, this machine may have no display, and the checkout runs instead of the packages, which
// `npm run test:days -- packages` tries.
const sessionChanges = `[Service]
TTYPath=
TTYReset=no
TTYVHangup=no
StandardInput=null
UtmpIdentifier=
Environment=WLR_BACKENDS=headless WLR_RENDERER=pixman
ExecStartPre=
ExecStart=
ExecStart=/usr/bin/env XDG_RUNTIME_DIR=/run/signage-session /usr/bin/labwc -C /run/labwc
`;
const playerChanges = `[Service]
ExecStartPre=
ExecStart=
ExecStart=${program} start --engine chromium --server \${SIGNAGE_SERVER} --data %S/signage-player
`;
const serviceChanges = `[Service]
WorkingDirectory=${checkout}
ExecStart=
ExecStart=${program} serve --port \${SIGNAGE_PORT} --host \${SIGNAGE_HOST} --data %S/signage-service $SIGNAGE_FLAGS
`;

/** What systemd says of a unit. */
export interface UnitState {
  ActiveState: string;
  Result: string;
  /** 0 without a process. */
  MainPID: string;
  NRestarts: string;
}

export class Installation implements AsyncDisposable {
  readonly #container: Container;
  readonly #run: SoakRun;
  readonly #serverUrl: string;
  readonly #log: Program;
  readonly #limitMs: number;

  private constructor(container: Container, run: SoakRun, serverUrl: string, limitMs = startLimitMs) {
    this.#container = container;
    this.#run = run;
    this.#serverUrl = serverUrl;
    this.#limitMs = limitMs;
    this.#log = container.start("journalctl", "--follow", "--lines=all", "--output=cat", `--unit=${player}`);
  }

  /** What packages have installed in a container. @param limitMs how long units and content may take to start. */
  static of(container: Container, run: SoakRun, serverUrl: string, limitMs: number): Installation {
    return new Installation(container, run, serverUrl, limitMs);
  }

  /** Installs the units without starting them. */
  static async create(container: Container, run: SoakRun): Promise<Installation> {
    const port = await freePort();
    const serverUrl = `http://127.0.0.1:${port}`;
    const write = (path: string, text: string): Promise<string> =>
      container.call("sh", "-c", 'mkdir -p "$(dirname "$1")" && printf %s "$2" > "$1"', "sh", path, text);
    const files = {
      "player/system/sysusers.conf": "/etc/sysusers.d/signage-player.conf",
      "service/sysusers.conf": "/etc/sysusers.d/signage-service.conf",
      "player/system/journald.conf": "/etc/systemd/journald.conf.d/signage-player.conf",
      [`player/units/${session}`]: `/etc/systemd/system/${session}`,
      [`player/units/${player}`]: `/etc/systemd/system/${player}`,
      "player/units/signage-session-failed.service": "/etc/systemd/system/signage-session-failed.service",
      "player/session/explain-failure.sh": "/usr/lib/signage-player/session/explain-failure",
      [`service/units/${service}`]: `/etc/systemd/system/${service}`,
    };
    for (const [from, to] of Object.entries(files))
      await container.call("install", "-D", from.endsWith(".sh") ? "--mode=755" : "--mode=644", `${checkout}/packaging/${from}`, to);
    await container.call("systemd-sysusers");
    await container.call("systemctl", "restart", "systemd-journald");
    await write("/etc/signage-player/player.env", `SIGNAGE_SERVER=${serverUrl}\n`);
    await write("/etc/default/signage-service", `SIGNAGE_PORT=${port}\n`);
    await container.call("cp", "--recursive", `${checkout}/packaging/player/session/labwc`, "/run/labwc");
    await container.call("sed", "--in-place", "s#/usr/lib/signage-player/labwc#/run/labwc#", "/run/labwc/environment");
    const changes = { [session]: sessionChanges, [player]: playerChanges, [service]: serviceChanges };
    for (const [unit, text] of Object.entries(changes)) await write(`/etc/systemd/system/${unit}.d/checkout.conf`, text);
    await container.call("systemctl", "daemon-reload");
    return new Installation(container, run, serverUrl);
  }

  /** Pairs the player and gives it a loop of pictures of one second. @returns the client of the service. */
  async pair(): Promise<Api> {
    let token = "";
    const hasToken = async (): Promise<boolean> => {
      token = await this.#container.call("sh", "-c", "cat /var/lib/signage-service/admin-token || :");
      return token !== "";
    };
    await this.#run.until("the service has written its token", hasToken, this.#limitMs);
    const api = new Api(this.#serverUrl, token.trim());
    await this.#run.until(
      "the service responds",
      () =>
        api.call("GET", "players").then(
          ({ ok }) => ok,
          () => false,
        ),
      this.#limitMs,
    );
    const assetIds: string[] = [];
    for (const [index, color] of colors.entries()) assetIds.push(await api.upload(`${index}.png`, await plainImage(color)));
    const items = assetIds.map((asset_id) => ({ type: "image", asset_id, duration_ms: 1_000, fit: "fill" }));
    const { layoutId } = await api.publish(items);
    await this.#run.until("a pairing code is logged", () => this.pairingCodes > 0, this.#limitMs);
    await api.pair(this.#log, layoutId);
    return api;
  }

  get pairingCodes(): number {
    return this.#log.lines.filter(({ msg }) => msg === "pairing code").length;
  }

  /** The wall times of the frames that the page presented, by the player's log. */
  get presentedAt(): number[] {
    return this.#log.lines.flatMap((line) => (line.msg === "presented" ? [Date.parse(String(line["presented_at"]))] : []));
  }

  /** What the journal has about the player: its own lines, and those of systemd. */
  get journal(): string {
    return this.#log.output;
  }

  systemctl(...argv: string[]): Promise<string> {
    return this.#container.call("systemctl", ...argv);
  }

  async state(unit: string): Promise<UnitState> {
    const text = await this.systemctl("show", "--property=ActiveState,Result,MainPID,NRestarts", unit);
    return Object.fromEntries(text.split("\n").map((line) => line.split("="))) as UnitState;
  }

  /** The names of all processes that run as one of the units' users. */
  async processesOf(user: "signage" | "signage-service"): Promise<string[]> {
    return this.#container.processesOf(Number(await this.#container.call("id", "--user", user)));
  }

  /** Waits until three more items were shown, and the display shows one of them. */
  async showsContent(): Promise<void> {
    const from = Date.now();
    const count = (): number => this.presentedAt.filter((at) => at >= from).length;
    await this.#run.until("items are presented", () => count() >= 3, this.#limitMs);
    await this.#run.until("the compositor shows an item", () => this.showsItem(), this.#limitMs);
  }

  /** Whether the display shows one of the pictures now. */
  async showsItem(): Promise<boolean> {
    return isItem(await this.#pixel());
  }

  async setDisplay(isOn: boolean): Promise<void> {
    await this.#onDisplay("wlr-randr", "--output", "HEADLESS-1", isOn ? "--on" : "--off");
  }

  /** The color in the middle of the display. */
  async #pixel(): Promise<number[]> {
    const program = 'grim -t ppm -g "640,360 1x1" - | tail --bytes=3 | od --address-radix=n --format=u1';
    return (await this.#onDisplay("sh", "-c", program)).trim().split(/\s+/).map(Number);
  }

  #onDisplay(...command: string[]): Promise<string> {
    return this.#container.call("env", "XDG_RUNTIME_DIR=/run/signage-session", "WAYLAND_DISPLAY=wayland-0", ...command);
  }

  /** Ends following the journal. It is kept in a file after a violation. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#run.violations.length > 0) {
      const path = join(tmpdir(), `signage-soak-${this.#run.part}-${this.#run.random.seed}.log`);
      await writeFile(path, await this.#container.call("journalctl", "--output=short-iso-precise", "--no-hostname"));
      this.#run.print({ journal: path });
    }
    await this.#log[Symbol.asyncDispose]();
  }
}

function isItem(pixel: readonly number[]): boolean {
  return colors.some((color) => color.every((part, index) => Math.abs(part - (pixel[index] ?? Number.NaN)) <= tolerance));
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
