// Clients that third-party generators create from the served description compile and work against the service.
import { execFile } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { longTool } from "../../../scripts/test/long-tools.ts";
import { rootFolder } from "../../../src/main/folders.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { TestService, call, picture } from "../../service/harness.ts";

const run = promisify(execFile);

interface Generator {
  name: string;
  /** The generator's command with its flags. */
  program: string[];
  /** The generator's settings, for a description in the same folder. */
  config: string;
  /** A program that uses the client and prints the player as JSON. */
  clientProgram: string;
}

// The program gets the token, the pairing code and the picture from the command line.
const common = `
import { readFile } from "node:fs/promises";
const [token = "", code = "", file = ""] = process.argv.slice(2);
const name = "Reception 👩‍👧 استقبال";
const picture = new Blob([await readFile(file)]);
`;

const generators: Generator[] = [
  {
    name: "hey-api",
    program: [longTool("@hey-api/openapi-ts/dist/run.mjs"), "-f", "hey-api.config.mjs"],
    config: `export default {
      input: "./openapi.json",
      output: { path: "./hey-api", module: { extension: ".ts" } },
      plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
      logs: { file: false },
    };`,
    clientProgram: `${common}
import { createAsset, createLayout, createPlaylist, getPlayer, pairPlayer, updatePlayer } from "./hey-api/index.ts";
import { client } from "./hey-api/client.gen.ts";
client.setConfig({ auth: token });
const throwOnError = true as const;
const { data: player } = await pairPlayer({ throwOnError, body: { code, name } });
const { data: asset } = await createAsset({ throwOnError, body: picture, query: { name } });
const items = [{ type: "image" as const, asset_id: asset.id, duration_ms: 5_000 }];
const { data: playlist } = await createPlaylist({ throwOnError, body: { name, items } });
const zones = [{ name: "main", left: 0, top: 0, width: 1920, height: 1080, playlist_id: playlist.id }];
const { data: layout } = await createLayout({ throwOnError, body: { name, zones } });
await updatePlayer({ throwOnError, path: { id: player.id }, body: { layout_id: layout.id } });
const read = await getPlayer({ throwOnError, path: { id: player.id } });
console.log(JSON.stringify({ player: read.data, asset }));
const refused = await createPlaylist({ body: { name: "a\\u202eb" } });
if (refused.error?.status !== 422) throw new Error(JSON.stringify(refused.error));
`,
  },
  {
    name: "orval",
    program: [longTool("orval/dist/bin/orval.mjs"), "--config", "orval.config.mjs"],
    config: `const input = { target: "./openapi.json" };
    export default {
      client: { input, output: { target: "./orval/client.ts", client: "fetch", baseUrl: { getBaseUrlFromSpecification: true } } },
      schemas: { input, output: { target: "./orval/zod.ts", client: "zod" } },
    };`,
    clientProgram: `${common}
import { createAsset, createLayout, createPlaylist, getPlayer, pairPlayer, updatePlayer } from "./orval/client.ts";
import { CreatePlaylistBody, GetPlayerResponse, PairPlayerBody } from "./orval/zod.ts";
const options = { headers: { authorization: \`Bearer \${token}\` } };
function ok<T extends { status: number; data: unknown }, S extends number>(answer: T, status: S): Extract<T, { status: S }>["data"] {
  if (answer.status !== status) throw new Error(JSON.stringify(answer.data));
  return answer.data as Extract<T, { status: S }>["data"];
}
const player = ok(await pairPlayer(PairPlayerBody.parse({ code, name }), {}, options), 201);
const asset = ok(await createAsset(picture, { name }, options), 201);
const items = [{ type: "image" as const, asset_id: asset.id, duration_ms: 5_000 }];
const playlist = ok(await createPlaylist({ name, items }, {}, options), 201);
const zones = [{ name: "main", left: 0, top: 0, width: 1920, height: 1080, playlist_id: playlist.id }];
const layout = ok(await createLayout({ name, zones }, {}, options), 201);
ok(await updatePlayer(player.id, { layout_id: layout.id }, {}, options), 200);
const read = ok(await getPlayer(player.id, options), 200);
GetPlayerResponse.parse(read);
console.log(JSON.stringify({ player: read, asset }));
for (const taken of ["Reception", name]) CreatePlaylistBody.parse({ name: taken });
if (CreatePlaylistBody.safeParse({ name: "a\\u202eb" }).success) throw new Error("a hidden character was accepted");
`,
  },
];

const compiler = {
  compilerOptions: {
    target: "ESNext",
    module: "NodeNext",
    lib: ["ESNext", "DOM", "DOM.Iterable"],
    types: ["node"],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
  include: ["*.ts"],
};

test("[IOP7] clients of two third-party generators compile and can pair, upload, create, assign and read", async () => {
  await using folder = await temporaryFolder();
  await using api = await TestService.start(join(folder.path, "data"));
  const inFolder = { cwd: folder.path, maxBuffer: 64 * 1_024 ** 2 };
  const write = (name: string, text: string) => writeFile(join(folder.path, name), text);
  await Promise.all([
    symlink(join(rootFolder, "node_modules"), join(folder.path, "node_modules")),
    write("package.json", '{"type":"module"}'),
    write("tsconfig.json", JSON.stringify(compiler)),
    write("openapi.json", JSON.stringify((await call(api.service.url, "GET", "openapi.json")).body)),
    write("picture.png", (await picture()) as unknown as string),
    ...generators.map(({ name, config }) => write(`${name}.config.mjs`, config)),
    ...generators.map(({ name, clientProgram }) => write(`client-${name}.ts`, clientProgram)),
  ]);
  await Promise.all(generators.map(({ program }) => run(process.execPath, program, inFolder)));
  await run(process.execPath, [join(rootFolder, "node_modules/typescript/bin/tsc"), "-p", "."], inFolder).catch(
    ({ stdout }: { stdout: string }) => expect.fail(stdout),
  );
  for (const { name } of generators) {
    const device = await api.newDevice();
    const argv = [`client-${name}.ts`, api.token, device.grant.user_code, "picture.png"];
    const { stdout } = await run(process.execPath, argv, inFolder);
    await device.firstToken();
    const { player, asset } = JSON.parse(stdout);
    expect(player).toMatchObject({ id: device.playerId, name: "Reception 👩‍👧 استقبال" });
    const state = (await device.call("GET", "state")).body;
    expect(state.assets).toMatchObject([{ id: asset.id, mime_type: "image/png" }]);
    process.stdout.write(`${name}: compiles and works\n`);
  }
}, 240_000);
