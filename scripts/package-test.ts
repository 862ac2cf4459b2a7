// `npm run -s test:days -- packages PART [AMOUNT]`: the long proofs of packages, image and updates, by name. Prints JSON lines, the summary
// last. Exits with 1 after any violation. Ctrl+C ends a run early, with its summary.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { rootFolder } from "../src/main/folders.ts";
import { arm64 } from "./package-test/arm64.ts";
import { controls } from "./package-test/controls.ts";
import { cuts } from "./package-test/cuts.ts";
import { diskCuts } from "./package-test/disk-cuts.ts";
import { image } from "./package-test/image.ts";
import { lifecycle } from "./package-test/lifecycle.ts";
import type { PackagePart } from "./package-test/package-part.ts";
import { updates } from "./package-test/updates.ts";
import { runNamedPart } from "./soak/run-part.ts";

const parts: ReadonlyMap<string, PackagePart> = new Map(
  Object.entries({ lifecycle, arm64, updates, image, cuts, "disk-cuts": diskCuts, controls }),
);

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: "boolean" },
    seed: { type: "string" },
    packages: { type: "string" },
    newer: { type: "string" },
    image: { type: "string" },
    work: { type: "string" },
    only: { type: "string" },
    parallel: { type: "string" },
  },
});
await runNamedPart("package_test", parts, { positionals, values }, (part, name) => {
  const packages = resolve(values.packages ?? join(rootFolder, "dist"));
  const base = resolve(values.work ?? "/var/tmp/signage-package-test");
  mkdirSync(base, { recursive: true });
  const work = mkdtempSync(join(base, `${name}-`));
  return {
    work,
    run: (run) =>
      part.run({
        run,
        packages,
        newer: resolve(values.newer ?? join(packages, "newer")),
        image: resolve(values.image ?? join(packages, "signage-player.img")),
        cache: join(base, "cache"),
        work,
        only: values.only?.split(",") ?? null,
        parallel: Number(values.parallel ?? 2),
      }),
    // After a violation its pictures and journals explain it.
    clean: () => rmSync(work, { recursive: true, force: true }),
  };
});
