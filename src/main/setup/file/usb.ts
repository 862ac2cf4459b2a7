// Mounts a USB stick for as long as its signage.toml is read: read-only, without programs, devices and set-user-id files.
import { mkdtemp, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Fault } from "../../../base/fault.ts";
import type { Log } from "../../../base/log.ts";
import type { RunCommand } from "../commands.ts";

const mountOptions = "ro,nosuid,nodev,noexec";

/** Calls `read` with the folder where the device is mounted. @throws Fault `refused` if it cannot be mounted. */
export async function withMounted<T>(device: string, run: RunCommand, log: Log, read: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "signage-usb-"));
  const mounted = await run("mount", ["-o", mountOptions, "--", device, folder]);
  if (mounted.is !== "done") {
    await rmdir(folder);
    throw new Fault("refused", `${device} cannot be mounted: ${whyNot(mounted)}`);
  }
  try {
    return await read(folder);
  } finally {
    const unmounted = await run("umount", ["--", folder]);
    // The unit's own mounts end with it.
    if (unmounted.is === "done") await rmdir(folder);
    else log.warn({ reason: whyNot(unmounted) }, "the stick cannot be unmounted");
  }
}

function whyNot(result: Exclude<Awaited<ReturnType<RunCommand>>, { is: "done" }>): string {
  return result.is === "failed" ? result.reason : "the command is not installed";
}
