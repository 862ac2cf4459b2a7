// Which drawings and bundles the media process accepts. Uploads of the same files: asset-kinds.long.test.ts.
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { examine } from "../../../src/service/media/examine.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { drawings, goodBundle, hostileBundles, hostileDrawings, type RejectedFile } from "./drawings-and-bundles.ts";

test("[AST9] an SVG that only draws is accepted with its size", async () => {
  await using folder = await temporaryFolder();
  for (const bytes of await drawings()) {
    expect(await examineIn(folder.path, bytes)).toMatchObject({ kind: "image", mimeType: "image/svg+xml", width: 120, height: 80 });
  }
});

test("[AST10] an SVG with script, event handlers, foreign content, entities or external resources is rejected, and the error names the part", async () => {
  await expectRejected(hostileDrawings);
});

test("[AST15] a zip file with index.html is accepted as a bundle", async () => {
  await using folder = await temporaryFolder();
  expect(await examineIn(folder.path, goodBundle())).toMatchObject({ kind: "bundle", mimeType: "application/zip", width: null });
});

test("[AST16] bombs, hostile or broken bundles and bundles without a page are rejected, even if the zip directory lies", async () => {
  await expectRejected(hostileBundles());
});

/** Examines each file, which has to be rejected with its reason and leave nothing behind. */
async function expectRejected(cases: readonly RejectedFile[]): Promise<void> {
  await using folder = await temporaryFolder();
  for (const [name, bytes, detail] of cases) {
    const examined = await examineIn(folder.path, bytes).catch((error: Error) => ({ kind: "problem", message: error.message }));
    expect([name, examined]).toEqual([name, { kind: "problem", message: expect.stringMatching(detail) }]);
  }
  expect(await readdir(folder.path)).toEqual(["file"]);
}

async function examineIn(folder: string, bytes: Buffer) {
  const path = join(folder, "file");
  await writeFile(path, bytes);
  return examine(path, undefined, null, () => undefined);
}
