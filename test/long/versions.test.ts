// 1,000 versions, of which many are restored. VERSIONS_SEED changes them.
import { test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { TestService } from "../service/harness.ts";
import { walkVersions } from "../service/publishing/versions-walk.ts";

const seed = Number(process.env["VERSIONS_SEED"] ?? 20);

test("[VER3] any of 1,000 versions restored equals what was published then", { timeout: 600_000 }, async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(folder.path);
  await walkVersions(api, 1_000, 60, seed);
});
