// Detects the GPU.
import { readdirSync } from "node:fs";
import { join } from "node:path";

const folder = "/dev/dri";

/** The GPU's render node, such as `/dev/dri/renderD128`; null when Linux has found no GPU. */
export function renderNode(): string | null {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return null; // no graphics driver has created the folder
  }
  const name = names.find((entry) => entry.startsWith("renderD"));
  return name === undefined ? null : join(folder, name);
}

/** True if the browser can use a GPU. Windows and macOS are assumed to have one. */
export function hasGpu(): boolean {
  return process.platform !== "linux" || renderNode() !== null;
}
