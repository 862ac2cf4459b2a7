// A copy of the image with a signage.toml, as an operator puts it on the boot partition, and what shows on its screen.
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { layOut } from "../image/layout.ts";
import type { PackageTest } from "./package-part.ts";
import { hostAddress, makeDisk, VirtualMachine } from "./virtual-machine.ts";

const execute = promisify(execFile);
// The journal on the serial console tells what the player does, and its pairing code. An emulated processor draws by OpenGL so slowly
// that the browser does not answer in time.
const kernelArguments = "console=ttyS0 systemd.journald.forward_to_console=1 systemd.setenv=WLR_RENDERER=pixman";
const diskGigabytes = 16;
// A screen with text has far more than a few colors: letters are smoothed.
const colorsOfText = 16;

/** Makes a disk of the image that is larger than it. @param anchor root.json of releases that it shall accept. @returns its path. */
export async function prepareDisk({ image, work }: PackageTest, port: number, anchor?: Buffer): Promise<string> {
  const copy = join(work, "image.raw");
  await execute("cp", ["--sparse=always", image, copy]);
  // Sizes of the other partitions do not matter here.
  const esp = `${copy}@@${layOut(2_048).esp.offset}`;
  const toml = join(work, "signage.toml");
  await writeFile(toml, `server = "http://${hostAddress}:${port}"\ntimezone = "Europe/Berlin"\n`);
  await execute("mcopy", ["-o", "-i", esp, toml, "::/signage.toml"]);
  const menu = join(work, "grub.cfg");
  await rm(menu, { force: true });
  await execute("mcopy", ["-i", esp, "::/EFI/debian/grub.cfg", menu]);
  const text = (await readFile(menu, "utf8")).replace(/ quiet /, ` ${kernelArguments} `);
  await writeFile(menu, text);
  await execute("mcopy", ["-o", "-i", esp, menu, "::/EFI/debian/grub.cfg"]);
  if (anchor !== undefined) {
    await writeFile(join(work, "anchor.json"), anchor);
    // debugfs writes into the system's file system without mounting it; as a file name it takes an offset too.
    const system = `${copy}?offset=${layOut(2_048).root.offset}`;
    await execute("debugfs", ["-w", "-R", `write ${join(work, "anchor.json")} /etc/signage-player/root.json`, system]);
  }
  const disk = join(work, "disk.qcow2");
  await makeDisk(copy, disk, diskGigabytes);
  return disk;
}

/** Whether the framebuffer shows text, not only one color or a text console. */
export async function showsText(machine: VirtualMachine, name: string): Promise<boolean> {
  const { pixels } = await machine.screen(name);
  const colors = new Set<number>();
  for (let at = 0; at + 2 < pixels.length; at += 3) colors.add(pixels.readUIntBE(at, 3));
  return colors.size >= colorsOfText;
}

/** The newest pairing code that the player logged on the serial console. */
export async function pairingCode(machine: VirtualMachine): Promise<string | null> {
  const codes = [
    ...(await machine.console()).matchAll(/"msg":"pairing code"[^\n]*?"code":"([^"]+)"|"code":"([^"]+)"[^\n]*"msg":"pairing code"/g),
  ];
  const last = codes.at(-1);
  return last?.[1] ?? last?.[2] ?? null;
}
