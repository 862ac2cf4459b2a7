// Recorded stand-ins for tools of the system, as scripts in a folder that is the whole PATH.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface FakeTools {
  /** The folder of the scripts. Scripts find it in $STATE, for what they remember. */
  readonly folder: string;
  /** Names no other tools than the fakes. */
  readonly env: NodeJS.ProcessEnv;
  /** Replaces a tool's script. */
  write(name: string, script: string): Promise<void>;
  /** The argument lists with which tools were started, such as `wpctl status --name`. */
  calls(): Promise<string[]>;
}

/** A tool that never ends. */
export const hangs = "exec sleep 1000";
/** A tool that fails with this line. */
export const fails = (line: string): string => `echo '${line}' >&2; exit 1`;

/** @param scripts shell scripts by the names of their tools; a tool without one is missing. */
export async function createFakeTools(parent: string, scripts: Readonly<Record<string, string>>): Promise<FakeTools> {
  const folder = join(parent, "tools");
  await mkdir(folder, { recursive: true });
  const tools: FakeTools = {
    folder,
    env: { PATH: folder },
    async write(name, script) {
      // The scripts themselves use the system's tools.
      const text = `#!/bin/sh\nPATH=/usr/bin:/bin STATE='${folder}'\necho "${name} $*" >> "$STATE/calls.log"\n${script}\n`;
      await writeFile(join(folder, name), text, { mode: 0o755 });
    },
    calls: async () => (await readFile(join(folder, "calls.log"), "utf8").catch(() => "")).split("\n").filter((line) => line !== ""),
  };
  for (const [name, script] of Object.entries(scripts)) await tools.write(name, script);
  return tools;
}
