// The part `upgrade`: the version before works on migrated databases, and the nodes are replaced one by one under load.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ScalePart } from "./scale-part.ts";
import { tryOldCode } from "./upgrade/old-code.ts";
import { replaceNodes } from "./upgrade/replace-nodes.ts";

const cases = { "old-code": tryOldCode, nodes: replaceNodes };

export const upgrade: ScalePart = {
  about: "the version before on migrated databases, then each node replaced under load: no failed request by HAProxy, nothing lost",
  unit: "rounds",
  usual: 1,
  async run(test) {
    for (const [name, attempt] of Object.entries(cases)) {
      if (test.only !== null && !test.only.includes(name)) continue;
      const work = join(test.work, name);
      await mkdir(work);
      await attempt({ ...test, work });
    }
    return null;
  },
};
