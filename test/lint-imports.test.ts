// Plants imports in a copy of the source tree and runs the linter on them with this project's settings.
import { dirname, join, relative } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { lintPlanted } from "./support/lint.ts";

/** A folder of the import table, with allowed and forbidden imports: paths from the root, or names of packages. */
interface Row {
  folder: string;
  allowed: readonly string[];
  forbidden: readonly string[];
  /** Forbidden, but allowed as a type. */
  typesOnly?: readonly string[];
}

const protocol = "src/protocol/device/beat.ts";
const schedule = "src/schedule/windows/window.ts";
const feeds = "src/feeds/parse-feed.ts";
const player = ["src/player/player.ts", "src/player/link/link.ts", "src/player/link/host.ts"];
const purePlayback = ["page-plan", "playback", "scene-item", "schedule-plan"].map((name) => `src/player/playback/${name}.ts`);
const host = "src/host/chromium/host.ts";
const service = "src/service/http/server.ts";
const main = "src/main/cli.ts";
const renderer = "renderer/player/page.ts";
const outside = ["test/support/clock.ts", "bench/lib.ts", "demo/content.ts", "scripts/soak.ts"];

const table: readonly Row[] = [
  {
    folder: "src/base",
    allowed: ["src/base/files/lock.ts", "node:fs", "pino"],
    forbidden: [protocol, feeds, schedule, ...player, host, service, main, renderer, ...outside, "electron"],
  },
  {
    folder: "src/protocol",
    allowed: ["src/protocol/content/asset.ts", "zod"],
    forbidden: [
      "src/base/clock.ts",
      feeds,
      schedule,
      ...player,
      host,
      service,
      main,
      renderer,
      ...outside,
      "electron",
      "node:fs",
      "pino",
      "z",
    ],
  },
  {
    folder: "src/schedule",
    allowed: ["src/schedule/why.ts", protocol],
    forbidden: [
      "src/base/fault.ts",
      "src/base/async/clock.ts",
      ...player,
      host,
      service,
      main,
      renderer,
      ...outside,
      "electron",
      "node:fs",
    ],
    typesOnly: ["src/base/clock.ts"],
  },
  {
    folder: "src/feeds",
    allowed: ["src/feeds/plain-text.ts", "src/base/http/outbound-http.ts", protocol, "node:worker_threads"],
    forbidden: [schedule, ...player, host, service, main, renderer, ...outside, "electron"],
  },
  {
    folder: "src/player",
    allowed: ["src/player/host.ts", "src/base/async/signal.ts", protocol, feeds, schedule, "node:fs", "ws"],
    forbidden: [host, service, main, renderer, ...outside, "electron"],
  },
  {
    folder: "src/host",
    allowed: [
      "src/host/proxy/proxy.ts",
      "src/base/log.ts",
      "src/player/host.ts",
      "src/player/machine.ts",
      "src/player/machine-controls.ts",
      "electron",
      "node:net",
    ],
    forbidden: [protocol, schedule, ...player, service, main, renderer, ...outside],
  },
  {
    folder: "src/service",
    allowed: ["src/service/store/database.ts", "src/base/jws.ts", protocol, feeds, schedule, "fastify"],
    forbidden: [...player, "src/player/host.ts", host, main, renderer, ...outside, "electron"],
  },
  {
    folder: "renderer/player",
    allowed: ["renderer/player/items/image.ts", protocol, "hls.js"],
    forbidden: ["src/base/clock.ts", schedule, ...player, host, service, main, ...outside, "electron", "node:fs"],
  },
  {
    folder: "renderer/console",
    allowed: ["renderer/console/data/client.ts", "sdk/typescript/client.ts", protocol, schedule, ...purePlayback, "react"],
    forbidden: [
      "src/base/clock.ts",
      ...player,
      "src/player/playback/schedule-follower.ts",
      host,
      service,
      main,
      ...outside,
      "electron",
      "node:fs",
    ],
  },
  {
    folder: "src/main",
    allowed: ["src/base/log.ts", protocol, schedule, ...player, host, service, "demo/content.ts", "electron"],
    forbidden: [],
  },
];

/** One planted import. */
interface Planted {
  /** Its file's path below the copy. */
  file: string;
  code: string;
  isAllowed: boolean;
}

const depths = ["", "one", "one/two", "one/two/three"];
const kinds = [
  (target: string) => `import { x } from "${target}";\nexport const y = x;\n`,
  (target: string) => `import type { X } from "${target}";\nexport type Y = X;\n`,
  (target: string) => `import { type X } from "${target}";\nexport type Y = X;\n`,
  (target: string) => `export { x } from "${target}";\n`,
  (target: string) => `export * from "${target}";\n`,
  (target: string) => `export const x = await import("${target}");\n`,
];
const typeKinds = new Set([1, 2]);

function plant(): Planted[] {
  return table.flatMap(({ folder, allowed, forbidden, typesOnly = [] }) =>
    [...allowed, ...forbidden, ...typesOnly].flatMap((target, number) =>
      depths.flatMap((depth) =>
        kinds.map((write, kind) => {
          const file = join(folder, depth, `planted-${number}-${kind}.ts`);
          const specifier = target.endsWith(".ts") ? specifierOf(file, target) : target;
          const isAllowed = allowed.includes(target) || (typesOnly.includes(target) && typeKinds.has(kind));
          return { file, code: write(specifier), isAllowed };
        }),
      ),
    ),
  );
}

/** How `file` writes an import of `target`. */
function specifierOf(file: string, target: string): string {
  const path = relative(dirname(file), target);
  return path.startsWith(".") ? path : `./${path}`;
}

const cycles = {
  "src/player/circle/one.ts": `import type { Two } from "./two.ts";\nexport interface One {\n  two: Two;\n}\n`,
  "src/player/circle/two.ts": `import type { One } from "./one.ts";\nexport interface Two {\n  one: One;\n}\n`,
};

const planted = plant();
/** The files that the linter rejected, by rule. */
const complaints = new Map<string, Set<string>>();

beforeAll(async () => {
  const files = new Map([...planted.map(({ file, code }) => [file, code] as const), ...Object.entries(cycles)]);
  for (const { code, filename } of await lintPlanted(files)) {
    const rejected = complaints.get(code) ?? new Set();
    complaints.set(code, rejected.add(filename));
  }
});

const importRule = "eslint(no-restricted-imports)";

test("[LNT1] the linter rejects every import that the import table forbids, at any depth and in any form, and accepts the others", () => {
  const rejected = complaints.get(importRule) ?? new Set();
  const describe = ({ file, code }: Planted): string => `${file}: ${code.split("\n")[0]}`;
  expect(planted.filter(({ file, isAllowed }) => !isAllowed && !rejected.has(file)).map(describe), "accepted though forbidden").toEqual([]);
  expect(planted.filter(({ file, isAllowed }) => isAllowed && rejected.has(file)).map(describe), "rejected though allowed").toEqual([]);
  expect(rejected.size).toBeGreaterThan(1_000);
});

test("[LNT2] the linter rejects a cycle of imports, even when they import only types", () => {
  const rejected = complaints.get("import(no-cycle)") ?? new Set();
  expect([...rejected].filter((file) => file in cycles)).not.toEqual([]);
});
