// Releases over the API: what devices download, what operators see, and the refresh on request.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ReleasePath } from "../../../src/protocol/device/updates.ts";
import { readMirrorConfig, runMirror } from "../../../src/main/mirror.ts";
import { silentLog } from "../../../src/base/log.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";
import { SignedReleases } from "../../support/signed-releases.ts";
import { heartbeat, TestService } from "../harness.ts";

const bytes = Buffer.from("bundle ".repeat(10_000));
const manifest = { version: "1.4.0", architecture: "amd64", launcher_needed: "1.0.0" } as const;

test("[MIR11] devices download metadata and bundles with ranges and ETags, and nothing else of the mirror", async () => {
  await using folder = await temporaryFolder();
  const source = await SignedReleases.create(join(folder.path, "source"));
  const bundle = await source.add(manifest, bytes);
  await using api = await TestService.start(join(folder.path, "data"), {
    releases: { from: source.folder, rootFile: null, maxBytes: 1e9 },
  });
  const device = await api.pairDevice();
  const get = async (path: string, headers: Record<string, string> = {}, token = device.access.access_token) => {
    const url = `${api.service.url}/api/v1/device/releases/${path}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}`, ...headers } });
    return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
  };
  await eventually(async () => (await get("metadata/timestamp.json")).status === 200);
  const timestamp = await get("metadata/timestamp.json");
  expect(timestamp.headers.get("cache-control")).toBe("private, no-cache");
  expect((await get("metadata/timestamp.json", { "if-none-match": timestamp.headers.get("etag")! })).status).toBe(304);
  const root = await get("metadata/1.root.json");
  expect(root.body.equals(source.anchor)).toBe(true);
  expect(root.headers.get("cache-control")).toContain("immutable");
  expect(ReleasePath.safeParse(bundle).success).toBe(true);
  const whole = await get(bundle);
  expect(whole.body.equals(bytes)).toBe(true);
  const part = await get(bundle, { range: "bytes=69990-", "if-range": whole.headers.get("etag")! });
  expect([part.status, part.headers.get("content-range"), part.body.toString()]).toEqual([
    206,
    "bytes 69990-69999/70000",
    bytes.toString("utf8", 69_990),
  ]);
  expect((await get(bundle, { range: "bytes=70000-" })).status).toBe(416);
  for (const path of [
    "metadata/2.root.json",
    "metadata/..%2Frefresh.json",
    "targets/..%2F..%2Fadmin-token",
    "refresh.json",
    `targets/${"0".repeat(64)}.x`,
  ]) {
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  }
  expect((await get(bundle, {}, "nobody")).status).toBe(401);
});

test("[MIR12] operators see releases, their players and the mirror's state, and refresh it; the program mirror works beside the service", async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, "data");
  const source = await SignedReleases.create(join(folder.path, "source"));
  await using api = await TestService.start(data, { releases: { from: source.folder, rootFile: null, maxBytes: 1e9 } });
  const isDone = async () => (await api.call("GET", "releases")).body.mirror.is_refreshing === false;
  await eventually(isDone);
  const device = await api.pairDevice();
  await device.call("POST", "heartbeat", heartbeat({ player_version: "1.3.0" }));
  await source.add(manifest, bytes);
  expect((await api.call("POST", "releases/mirror?dry_run=true")).status).toBe(202);
  expect((await api.call("GET", "releases")).body.releases).toEqual([]);
  const accepted = await api.call("POST", "releases/mirror");
  expect([accepted.status, accepted.body.is_refreshing]).toEqual([202, true]);
  await eventually(async () => (await api.call("GET", "releases")).body.releases.length === 1);
  const { body } = await api.call("GET", "releases");
  expect(body).toMatchObject({
    mirror: { source: source.folder, error: null, is_expired: false },
    releases: [{ version: "1.4.0", players: 0, bundles: [{ architecture: "amd64", size_bytes: bytes.length, is_mirrored: true }] }],
    other_versions: [{ version: "1.3.0", players: 1 }],
  });
  await eventually(isDone);
  await source.add({ ...manifest, version: "1.5.0" }, bytes);
  const root = join(folder.path, "root.json");
  await writeFile(root, source.anchor);
  const flags = readMirrorConfig([source.folder, "--data", data, "--releases-root", root]);
  await runMirror(flags, silentLog, new AbortController().signal);
  const versions = (await api.call("GET", "releases")).body.releases.map((release: { version: string }) => release.version);
  expect(versions).toEqual(["1.5.0", "1.4.0"]);
  expect(() => readMirrorConfig(["--data", data])).toThrow(/name one folder or address/);
});
