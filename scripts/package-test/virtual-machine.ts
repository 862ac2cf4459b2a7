// A PC in QEMU that boots the image by UEFI: its serial console, its framebuffer, and power cuts.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, readFile } from "node:fs/promises";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { Program } from "../../test/support/programs/programs.ts";
import type { SoakRun } from "../soak/soak-run.ts";

const execute = promisify(execFile);
const firmware = ["/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_VARS_4M.fd"] as const;
const monitorLimitMs = 60_000;
/** The address by which the guest reaches this machine's loopback. */
export const hostAddress = "10.0.2.2";

/** Why this machine cannot run it; null if it can. */
export function obstacleToQemu(): string | null {
  const missing = ["/usr/bin/qemu-system-x86_64", "/usr/bin/qemu-img", ...firmware].filter((path) => !existsSync(path));
  return missing.length === 0 ? null : `these files are missing: ${missing.join(", ")}`;
}

/** How a guest runs here: by the processor if its virtualization works, else emulated. */
export async function findAccelerator(): Promise<"kvm" | "tcg"> {
  if (!existsSync("/dev/kvm")) return "tcg";
  // Some hosts offer a KVM that cannot run firmware: it stops at once there.
  const flags = ["-machine", "q35,accel=kvm", "-cpu", "host", "-m", "256", "-nographic", "-no-reboot", "-bios", "/usr/share/ovmf/OVMF.fd"];
  await using program = new Program(flags, {}, "qemu-system-x86_64");
  const limit = new AbortController();
  const works = await Promise.race([
    program.exitCode.then(() => false),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(/BdsDxe|UEFI/.test(program.output)), 20_000).unref()),
  ]);
  limit.abort();
  return works ? "kvm" : "tcg";
}

/** A disk of its own whose changes stay over boots and power cuts. @param image what it begins with, which does not change. */
export async function makeDisk(image: string, path: string, gigabytes: number): Promise<void> {
  await execute("qemu-img", ["create", "-q", "-f", "qcow2", "-F", "raw", "-b", image, path, `${gigabytes}G`]);
}

export class VirtualMachine implements AsyncDisposable {
  readonly #qemu: Program;
  readonly #folder: string;
  readonly #monitor: Socket;
  #replies: ((line: string) => void)[] = [];
  readonly serial: string;

  private constructor(qemu: Program, folder: string, monitor: Socket, serial: string) {
    this.#qemu = qemu;
    this.#folder = folder;
    this.#monitor = monitor;
    this.serial = serial;
    createInterface({ input: monitor }).on("line", (line) => {
      // Events come in between.
      if (line.includes('"return"') || line.includes('"error"')) this.#replies.shift()?.(line);
    });
    // The process's end is what counts.
    monitor.on("error", () => monitor.destroy());
  }

  /** Switches it on. @param disk of {@link makeDisk}. @param folder for its files. @param boot counts its boots. */
  static async start(run: SoakRun, accelerator: "kvm" | "tcg", disk: string, folder: string, boot: number): Promise<VirtualMachine> {
    const [serial, socket, variables] = [join(folder, `serial-${boot}.log`), join(folder, `qmp-${boot}`), join(folder, "variables.fd")];
    if (!existsSync(variables)) await copyFile(firmware[1], variables);
    const cpu = accelerator === "kvm" ? ["-cpu", "host"] : ["-cpu", "max", "-accel", "tcg,thread=multi"];
    const qemu = new Program(
      [
        ["-machine", accelerator === "kvm" ? "q35,accel=kvm" : "q35", ...cpu, "-smp", "2", "-m", "2048"],
        ["-drive", `if=pflash,format=raw,readonly=on,file=${firmware[0]}`, "-drive", `if=pflash,format=raw,file=${variables}`],
        // Writes that the guest has not flushed are lost with the process, as a disk's own cache is.
        ["-drive", `if=virtio,format=qcow2,cache=writeback,file=${disk}`],
        ["-vga", "virtio", "-display", "none", "-device", "i6300esb", "-serial", `file:${serial}`],
        ["-netdev", "user,id=net", "-device", "virtio-net-pci,netdev=net", "-qmp", `unix:${socket},server=on,wait=off`],
      ].flat(),
      {},
      "qemu-system-x86_64",
    );
    const connect = async (): Promise<Socket | null> => {
      const monitor = createConnection(socket);
      return once(monitor, "connect").then(
        () => monitor,
        () => null,
      );
    };
    let monitor: Socket | null = null;
    await run.until("the monitor listens", async () => (monitor = await connect()) !== null, monitorLimitMs);
    const machine = new VirtualMachine(qemu, folder, monitor!, serial);
    await machine.#execute("qmp_capabilities");
    return machine;
  }

  /** What the guest has written to its serial console. */
  async console(): Promise<string> {
    return readFile(this.serial, "utf8").catch(() => "");
  }

  /** The framebuffer as a PPM file. @returns its path and pixels. */
  async screen(name: string): Promise<{ path: string; width: number; height: number; pixels: Buffer }> {
    const path = join(this.#folder, `${name}.ppm`);
    await this.#execute("screendump", { filename: path });
    const bytes = await readFile(path);
    const [, width, height] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.subarray(0, 40).toString("latin1")) ?? [];
    if (width === undefined || height === undefined) throw new Error("QEMU wrote no picture");
    return {
      path,
      width: Number(width),
      height: Number(height),
      pixels: bytes.subarray(bytes.length - 3 * Number(width) * Number(height)),
    };
  }

  /** The color in the middle of the framebuffer. */
  async middle(): Promise<number[]> {
    const { width, height, pixels } = await this.screen("now");
    const at = 3 * (Math.floor(height / 2) * width + Math.floor(width / 2));
    return [...pixels.subarray(at, at + 3)];
  }

  /** Takes its power away. */
  async cutPower(): Promise<void> {
    await this.#qemu.kill();
    this.#monitor.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#monitor.destroy();
    await this.#qemu[Symbol.asyncDispose]();
  }

  async #execute(command: string, args: Record<string, string> = {}): Promise<void> {
    const reply = new Promise<string>((resolve) => this.#replies.push(resolve));
    this.#monitor.write(`${JSON.stringify({ execute: command, arguments: args })}\n`);
    const ended = this.#qemu.exitCode.then(() => '{"error":"QEMU ended"}');
    const line = await Promise.race([reply, ended]);
    if (line.includes('"error"')) throw new Error(`${command}: ${line} ${this.#qemu.output.slice(-500)}`);
  }
}
