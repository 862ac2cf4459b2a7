// Finds the GPU.
import { readdirSync } from "node:fs";
import { join } from "node:path";

const folder = "/dev/dri";

/** The GPU's render node, such as `/dev/dri/renderD128`; null when this machine has none that Linux knows of. */
export function renderNode(): string | null {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return null; // no graphics driver made the folder
  }
  const name = names.find((entry) => entry.startsWith("renderD"));
  return name === undefined ? null : join(folder, name);
}

/** Whether the browser can draw with a GPU. Windows and macOS are taken to have one. */
export function hasGpu(): boolean {
  return process.platform !== "linux" || renderNode() !== null;
}
