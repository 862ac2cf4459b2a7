import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readOptions } from "../../scripts/image/options.ts";

test("[IMG4] machines get updates of signage-player from an address given as --apt or --source, never from a folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "signage-image-"));
  try {
    const key = join(folder, "signage-player.asc");
    await writeFile(key, "key");
    const url = "https://packages.example.org/apt";
    expect(readOptions(["--apt", folder])).toMatchObject({ apt: folder, key, source: undefined });
    expect(readOptions(["--apt", folder, "--source", url])).toMatchObject({ apt: folder, source: url });
    expect(readOptions(["--apt", url, "--key", key])).toMatchObject({ apt: url, source: url, key });
    // A repository without its key would not be verified.
    expect(() => readOptions(["--apt", url])).toThrow(/--key/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
