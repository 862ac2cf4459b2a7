// The package of the Electron player: its content, the files outside its archive, and that it runs.
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { FuseV1Options, getCurrentFuseWire } from "@electron/fuses";
import { build } from "vite";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import manifest from "../../../package.json" with { type: "json" };
import { rootFolder } from "../../../src/main/folders.ts";
import { readModules, syntaxNodes, type SyntaxNode } from "../../support/bundled-programs.ts";
import { packForElectron, type ElectronPackage, type PackedFile } from "../../support/programs/electron-package.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { pdfOf } from "../../support/media/pdf.ts";
import { Api, Program } from "../../support/programs/programs.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 180_000 });

// Packing takes most of the time, so all tests share one package. PCK5 comes last because it changes files of the package.
let packed: ElectronPackage;
beforeAll(async () => {
  packed = await packForElectron();
});
afterAll(() => packed?.[Symbol.asyncDispose]());

test("[PCK1] a package contains the built programs, the page, the console and production packages, and nothing else", async () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([manifest.main, "dist/main/cli.js", "dist/renderer/player/index.html", "dist/renderer/console/index.html"]),
  );
  const built = (await readdir(join(rootFolder, "dist"), { recursive: true })).map((name) => `dist/${name}`);
  const ours = new Set(["package.json", "LICENSE", ...built.filter((name) => !name.endsWith(".map"))]);
  expect(paths.filter((path) => !path.startsWith("node_modules/") && !ours.has(path))).toEqual([]);
  const production = await productionPackages();
  expect((await packedPackages()).filter((name) => !production.has(name))).toEqual([]);
  expect(paths.filter((path) => /\.(map|ts|mts|cts)$/.test(path))).toEqual([]);
});

const programs = [manifest.main, "dist/main/cli.js", "dist/main/media-child.js"];
// Optional imports of these packages.
const optional = ["supports-color from node_modules/debug/", "@img/sharp-libvips-dev/"];

test("[PCK2] everything that the packed programs and their workers import is in the package", async () => {
  const { modules, missing } = await readModules([...programs.map(inPackage), await workerEntry()]);
  for (const name of ["fastify", "ws", "sharp", "electron-store", "feedsmith", "pdfjs-dist", "file-type", "mediabunny", "yauzl"]) {
    expect(
      [...modules.keys()].some((path) => path.startsWith(inPackage(`node_modules/${name}/`))),
      name,
    ).toBe(true);
  }
  const elsewhere = [...modules.keys()].filter((path) => path.startsWith("/") && !path.startsWith(inPackage("/")));
  expect(elsewhere).toEqual([]);
  const lacking = missing.map((line) => line.replace(inPackage("/"), ""));
  expect(lacking.filter((line) => !optional.some((start) => line.startsWith(start)))).toEqual([]);
});

test("[PCK3] native files, and the packages that worker threads load, are outside the archive", async () => {
  const native = packed.files.filter(({ path }) => /\.(node|so|dll|dylib)(\.[\d.]+)?$/.test(path));
  expect(native.length).toBeGreaterThan(1);
  expect([...native, ...(await filesOfWorkers())].filter(({ unpacked }) => !unpacked)).toEqual([]);
});

test("[PCK4] the fuses of the packed executable are those of electron-builder.yml", async () => {
  const { electronFuses } = z
    .object({ electronFuses: z.record(z.string(), z.boolean()) })
    .parse(parse(await readFile(join(rootFolder, "electron-builder.yml"), "utf8")));
  const wire: Record<string, unknown> = { ...(await getCurrentFuseWire(packed.executable)) };
  const indices: Record<string, unknown> = { ...FuseV1Options };
  const burnt = Object.keys(electronFuses).map((name) => {
    const index = indices[name[0]!.toUpperCase() + name.slice(1)];
    return [name, wire[String(index)] === "1".charCodeAt(0)];
  });
  expect(burnt.length).toBeGreaterThan(5);
  expect(Object.fromEntries(burnt)).toEqual(electronFuses);
});

test("[PCK5] the packed service runs with only the files of the package, and its workers load from outside the archive", async () => {
  const { program } = packed;
  // Makes the files in the archive unloadable, as they may be for Electron's workers.
  for (const { path } of (await filesOfWorkers()).filter(({ path }) => /\.[cm]?js$/.test(path))) {
    await writeFile(inPackage(path), `throw new Error("loaded from inside the archive");`);
  }
  await using data = await temporaryFolder();
  await using service = new Program([join(program, "dist/main/cli.js"), "serve", "--port", "0", "--data", data.path], { NODE_PATH: "" });
  const { url } = await service.line("listening");
  expect((await fetch(`${String(url)}/claim`, { headers: { accept: "text/html" } })).status).toBe(200);
  const api = new Api(String(url), (await readFile(join(data.path, "admin-token"), "utf8")).trim());
  const pdf = pdfOf([
    [220, 30, 40],
    [30, 60, 200],
  ]);
  expect(await api.ok("POST", "assets?name=two.pdf", pdf)).toMatchObject({ page_count: 2 });

  // The player only reads feeds of other machines, so its feed reader is bundled separately and called directly.
  await build({
    configFile: join(rootFolder, "config/vite.programs.ts"),
    root: rootFolder,
    logLevel: "error",
    build: {
      outDir: join(program, "dist/main"),
      emptyOutDir: false,
      rolldownOptions: { input: { feeds: "src/feeds/parse-feed.ts" } },
    },
  });
  const feed = `<rss version="2.0"><channel><title>Post</title><item><title>One</title></item></channel></rss>`;
  const script = `import { parseFeed } from "./feeds.js";
    console.log(JSON.stringify(await parseFeed(${JSON.stringify(feed)}, AbortSignal.timeout(30_000))));`;
  await writeFile(join(program, "dist/main/asked.mjs"), script);
  const { stdout } = await promisify(execFile)(process.execPath, [join(program, "dist/main/asked.mjs")]);
  expect(JSON.parse(stdout)).toMatchObject({ title: "Post", entries: [{ title: "One" }] });
});

test("[PCK6] a missing or stale build is rejected with the remedy", async () => {
  const { beforePack } = await hooks();
  await using folder = await temporaryFolder();
  const file = async (name: string, second: number): Promise<void> => {
    await mkdir(dirname(join(folder.path, name)), { recursive: true });
    await writeFile(join(folder.path, name), "");
    await utimes(join(folder.path, name), second, second);
  };
  const pack = (): void => beforePack({ packager: { projectDir: folder.path } });
  await file("src/main/electron/electron.ts", 1_000);
  await file("renderer/player/main.ts", 1_000);
  expect(pack).toThrow("dist/main/electron.js is missing. Run: npm run build");
  await file("dist/main/electron.js", 2_000);
  expect(pack).toThrow("dist/renderer/player/index.html is missing. Run: npm run build");
  await file("dist/renderer/player/index.html", 2_000);
  await file("renderer/console/main.tsx", 1_000);
  expect(pack).toThrow("dist/renderer/console/index.html is missing. Run: npm run build");
  await file("dist/renderer/console/index.html", 2_000);
  pack();
  await file("src/main/electron/electron.ts", 3_000);
  expect(pack).toThrow("dist/main/electron.js is older than src/main/electron/electron.ts. Run: npm run build");
  await file("src/main/electron/electron.ts", 1_000);
  await file("renderer/player/main.ts", 3_000);
  expect(pack).toThrow("dist/renderer/player/index.html is older than renderer/player/main.ts. Run: npm run build");
  await file("renderer/player/main.ts", 1_000);
  await file("renderer/console/main.tsx", 3_000);
  expect(pack).toThrow("dist/renderer/console/index.html is older than renderer/console/main.tsx. Run: npm run build");
});

test("[PCK6] a package without the addons of its machine is rejected with the remedy", async () => {
  const { afterPack } = await hooks();
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "resources/app.asar.unpacked/node_modules/@img/sharp-linux-x64"), { recursive: true });
  // electron-builder's architectures: 1 is x64, 3 is arm64.
  const pack = (arch: number): void => afterPack({ appOutDir: folder.path, electronPlatformName: "linux", arch });
  pack(1);
  expect(() => pack(3)).toThrow("@img/sharp-linux-arm64 is not installed");
});

interface Hooks {
  beforePack: (context: { packager: { projectDir: string } }) => void;
  afterPack: (context: { appOutDir: string; electronPlatformName: string; arch: number }) => void;
}

/** electron-builder's hooks, which are plain JavaScript. */
async function hooks(): Promise<Hooks> {
  return (await import(pathToFileURL(join(rootFolder, "packaging/electron/verify-pack.mjs")).href)) as Hooks;
}

function inPackage(path: string): string {
  return join(packed.program, path);
}

/** Writes a module that imports everything that the packed bundle resolves for its worker threads. */
async function workerEntry(): Promise<string> {
  const chunks = packed.files.filter(({ path }) => /^dist\/main\/.*\.js$/.test(path));
  const codes = await Promise.all(chunks.map(({ path }) => readFile(inPackage(path), "utf8")));
  const calls = codes.flatMap((code) => syntaxNodes(code)).filter(isImportMetaResolve);
  const names = calls.flatMap((call) => textOf((call["arguments"] as unknown[])[0]));
  expect(names).toHaveLength(calls.length);
  expect(names.toSorted()).toEqual(["feedsmith", "pdfjs-dist/legacy/build/pdf.mjs"]);
  const entry = inPackage("dist/main/workers.mjs");
  await writeFile(entry, names.map((name) => `import ${JSON.stringify(name)};\n`).join(""));
  return entry;
}

/** All files of the packages that worker threads import from, because they may read files that they do not import. */
async function filesOfWorkers(): Promise<PackedFile[]> {
  const { modules } = await readModules([await workerEntry()]);
  const paths = [...modules.keys()].map((path) => path.replace(inPackage("/"), ""));
  const folders = new Set(paths.flatMap((path) => /^node_modules\/(@[^/]+\/)?[^/]+\//.exec(path)?.[0] ?? []));
  const files = packed.files.filter(({ path }) => [...folders].some((folder) => path.startsWith(folder)));
  expect(files.length).toBeGreaterThan(100);
  return files;
}

/** `import.meta.resolve(…)`. */
function isImportMetaResolve({ type, callee }: SyntaxNode): boolean {
  const { object, property } = (callee ?? {}) as { object?: SyntaxNode; property?: { name?: string } };
  return type === "CallExpression" && object?.type === "MetaProperty" && property?.name === "resolve";
}

/** The value of a string literal; nothing for any other expression. */
function textOf(node: unknown): string[] {
  const value = typeof node === "object" && node !== null && "value" in node ? node.value : undefined;
  return typeof value === "string" ? [value] : [];
}

/** Names and versions of the production packages in the lock file. */
async function productionPackages(): Promise<Set<string>> {
  const Lock = z.object({ packages: z.record(z.string(), z.object({ version: z.string().optional(), dev: z.boolean().default(false) })) });
  const { packages } = Lock.parse(JSON.parse(await readFile(join(rootFolder, "package-lock.json"), "utf8")));
  const production = Object.entries(packages).filter(([, { dev }]) => !dev);
  return new Set(production.map(([folder, { version }]) => `${folder.replace(/^.*node_modules\//, "")} ${version}`));
}

/** Names and versions of the packages in the archive, at any depth. */
async function packedPackages(): Promise<string[]> {
  const folders = new Set(packed.files.flatMap(({ path }) => /^(node_modules\/(@[^/]+\/)?[^/]+\/)+/.exec(path)?.[0] ?? []));
  const manifests = [...folders].map((folder) => readFile(join(packed.program, folder, "package.json"), "utf8"));
  const Package = z.object({ name: z.string(), version: z.string() });
  return (await Promise.all(manifests)).map((text) => Package.parse(JSON.parse(text))).map(({ name, version }) => `${name} ${version}`);
}
