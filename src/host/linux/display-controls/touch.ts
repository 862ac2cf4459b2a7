// Maps the touch screens of an X server to an output, so that touch turns with the picture. By xinput.
import type { Tools } from "./tools.ts";

/** Does nothing if xinput is missing: most screens have no touch. */
export async function mapTouch(tools: Tools, output: string, signal: AbortSignal): Promise<void> {
  const text = await tools.ask("xinput", ["list", "--long"], signal);
  // It computes the matrix from the output's place and rotation.
  for (const id of touchScreens(text ?? "")) await tools.must("xinput", ["map-to-output", id, output], signal);
}

/** The ids of the devices with direct touch; touch pads are `dependent`. */
function touchScreens(text: string): string[] {
  return text
    .split(/^(?=.*\bid=\d+)/m)
    .filter((part) => /\[slave\s+pointer/.test(part) && /Touch mode: direct/.test(part))
    .map((part) => /\bid=(\d+)/.exec(part)![1]!);
}
