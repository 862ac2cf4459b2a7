// How a player fetches a release: what it refuses, what it resumes, and what it waits for.
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noProgress } from "../../../src/player/content/download-progress.ts";
import type { DesiredRelease } from "../../../src/protocol/device/updates.ts";
import { timeZoneRulesOrUtc } from "../../../src/schedule/calendar/time-zone.ts";
import { smallDisk } from "../../support/small-disk.ts";
import { holdBundlesAfter, unavailable } from "./release-service.ts";
import { bundleOf, hourMs, noon, openPlace, type Place, startUpdating } from "./updating-player.ts";

const atOnce: DesiredRelease = { version: "1.4.0", install: "now" };
const dayMs = 24 * hourMs;

/** What is wrong with the releases, the problem's text, and how it is repaired. */
interface Obstacle {
  what: string;
  arrange: (place: Place) => Promise<unknown>;
  wanted?: string;
  isClockSure?: boolean;
  says: RegExp;
  repair: (place: Place) => Promise<unknown>;
}

/** Serves other bytes than the repository's for paths that match. */
function serveInstead(place: Place, matches: RegExp, change: (bytes: Buffer) => Buffer, length?: number): void {
  place.service.lie = (response, path, bytes) => {
    if (!matches.test(path)) return false;
    const changed = change(bytes);
    response.writeHead(200, { etag: `"${/[0-9a-f]{64}/.exec(path)?.[0] ?? "x"}"`, "content-length": length ?? changed.length });
    response.end(changed);
    return true;
  };
}

const honest = async (place: Place): Promise<void> => void (place.service.lie = null);

const obstacles: Obstacle[] = [
  {
    what: "a version that the signed metadata lacks",
    arrange: async () => undefined,
    wanted: "1.9.0",
    says: /the signed releases have no signage-player_1\.9\.0_amd64/,
    repair: (place) => place.release("1.9.0"),
  },
  {
    what: "too few signatures",
    arrange: (place) => place.releases.publish(1),
    says: /not signed by enough keys/,
    repair: (place) => place.releases.publish(),
  },
  {
    what: "metadata that was changed",
    arrange: async (place) => serveInstead(place, /targets\.json$/, (bytes) => Buffer.from(bytes.toString().replace("1.4.0", "9.4.0"))),
    says: /metadata/,
    repair: honest,
  },
  {
    what: "expired metadata",
    arrange: async (place) => place.clock.advance(31 * dayMs),
    says: /has expired\. Sign it again/,
    repair: (place) => {
      place.releases.now = place.clock.now();
      return place.releases.publish();
    },
  },
  {
    what: "a bundle with other bytes",
    arrange: async (place) => serveInstead(place, /^targets/, (bytes) => Buffer.alloc(bytes.length, "x")),
    says: /is not the signed bundle .*SHA-256/,
    repair: honest,
  },
  {
    what: "a bundle of another size",
    arrange: async (place) => serveInstead(place, /^targets/, (bytes) => Buffer.concat([bytes, bytes])),
    says: /is not the signed bundle .*it has 200000 bytes/,
    repair: honest,
  },
  {
    what: "a mirror without the bundle",
    arrange: async (place) => {
      place.service.lie = (response, path) => path.startsWith("targets/") && (response.writeHead(404).end(), true);
    },
    says: /does not have the bundle/,
    repair: honest,
  },
  {
    what: "a service without releases",
    arrange: async (place) => {
      place.service.lie = (response) => (response.writeHead(404).end(), true);
    },
    says: /timestamp\.json is missing/,
    repair: honest,
  },
  {
    what: "a machine without a root key",
    arrange: (place) => rm(place.options.rootFile!),
    says: /no root key for releases.*\/etc\/signage-player\/root\.json/,
    repair: (place) => writeFile(place.options.rootFile!, place.releases.anchor),
  },
  {
    what: "an older launcher than the bundle needs",
    arrange: (place) => place.release("1.4.0", "2.0.0"),
    says: /needs launcher 2\.0\.0, and 1\.0\.0 is installed\. Upgrade the package: apt-get install signage-player/,
    repair: (place) => place.status({ launcher_version: "2.0.0" }),
  },
];

test.each(obstacles)(
  "[UPD13] $what: nothing is installed, the problem names the reason and the remedy, and it goes on once that is repaired",
  async ({ arrange, wanted = "1.4.0", says, repair }) => {
    await using place = await openPlace();
    await arrange(place);
    await using player = await startUpdating(place);
    player.want({ ...atOnce, version: wanted });
    const { detail } = await player.reaches(({ is }) => is === "blocked");
    expect(detail).toMatch(says);
    expect(player.problems()).toEqual([
      expect.stringMatching(/^update-blocked: The version that the screen should run cannot be installed: /),
    ]);
    expect(await place.request()).toBeNull();
    await repair(place);
    expect(await player.until(() => place.request())).toMatchObject({ version: wanted });
    await player.until(() => player.problems().length === 0);
  },
);

test("[UPD14] metadata that is older than what the player trusted before is refused, and what the launcher reads stays as it was", async () => {
  await using place = await openPlace();
  const older = await place.releases.save();
  await place.release("1.5.0");
  {
    await using player = await startUpdating(place);
    player.want({ version: "1.5.0", install: "in-window" });
    await player.reaches(({ is }) => is === "waiting");
  }
  await place.releases.restore(older);
  const file = join(place.options.updatesFolder, "metadata/timestamp.json");
  const trusted = await readFile(file);
  await using player = await startUpdating(place);
  player.want({ version: "1.6.0", install: "now" });
  const { detail } = await player.reaches(({ is }) => is === "blocked");
  expect(detail).toMatch(/older than what this machine already trusted/);
  expect([await place.request(), await readFile(file)]).toEqual([null, trusted]);
});

test("[UPD15] without a time that is sure, nothing is installed", async () => {
  await using place = await openPlace();
  await using player = await startUpdating(place, { isClockSure: false });
  player.want(atOnce);
  const { detail } = await player.reaches(({ is }) => is === "blocked");
  expect(detail).toContain("does not know the time");
  expect([await place.request(), place.service.requests]).toEqual([null, []]);
});

test("[UPD16] a download that is cut, or interrupted by a restart, is resumed with Range and If-Range", async () => {
  await using place = await openPlace();
  const held = holdBundlesAfter(40_000);
  place.service.lie = held.lie;
  {
    await using player = await startUpdating(place);
    player.want(atOnce);
    await player.reaches(({ ready_bytes }) => ready_bytes === 40_000);
    held.cut();
    await player.reaches(({ ready_bytes }) => ready_bytes === 80_000);
  }
  await using again = await startUpdating(place);
  again.want(atOnce);
  await again.until(() => place.request());
  const [name] = await place.bundles();
  expect(await readFile(join(place.options.updatesFolder, "targets", name!))).toEqual(bundleOf("1.4.0"));
  const requests = place.service.requests.filter(({ path }) => path.startsWith("targets/"));
  expect(requests.map(({ headers }) => headers.range)).toEqual([undefined, "bytes=40000-", "bytes=80000-"]);
  expect(requests.at(-1)!.headers["if-range"]).toMatch(/^"[0-9a-f]{64}"$/);
});

test("[UPD17] if another version is wanted during a download, that one is fetched, and the partial bundle is removed", async () => {
  await using place = await openPlace();
  await place.release("1.5.0");
  place.service.lie = holdBundlesAfter(10_000, /1\.4\.0/).lie;
  await using player = await startUpdating(place);
  player.want(atOnce);
  await player.reaches(({ ready_bytes }) => ready_bytes === 10_000);
  player.want({ ...atOnce, version: "1.5.0" });
  await player.until(() => place.request());
  expect(await place.bundles()).toEqual([expect.stringMatching(/_1\.5\.0_amd64\.tar\.zst$/)]);
});

test("[UPD18] an unreachable service is no problem of the release: the player says so and continues by itself; what is here needs no service", async () => {
  await using place = await openPlace();
  place.service.lie = unavailable;
  {
    await using player = await startUpdating(place);
    player.want({ ...atOnce, install: "in-window" });
    const { detail } = await player.reaches((update) => update.is === "downloading" && update.detail !== null);
    expect(detail).toContain("the service responded with 503");
    expect(player.problems()).toEqual([]);
    place.service.lie = null;
    player.updates.retryNow();
    await player.reaches(({ is }) => is === "waiting");
  }
  place.service.lie = unavailable;
  await using offline = await startUpdating(place);
  offline.want(atOnce);
  expect(await offline.until(() => place.request())).toMatchObject({ version: "1.4.0" });
});

test("[UPD19] content is downloaded first, and a bundle continues after it where it was", async () => {
  await using place = await openPlace();
  place.service.lie = holdBundlesAfter(10_000).lie;
  await using player = await startUpdating(place);
  player.want(atOnce);
  await player.reaches(({ ready_bytes }) => ready_bytes === 10_000);
  player.content.set({ ...noProgress, is: "downloading" });
  const { is, detail } = await player.reaches((update) => update.detail !== null);
  expect([is, detail]).toEqual(["downloading", "waits until the content is downloaded"]);
  place.service.lie = null;
  player.content.set(noProgress);
  await player.until(() => place.request());
  expect(place.service.requests.at(-1)!.headers.range).toBe("bytes=10000-");
});

test("[UPD20] metadata and bundles keep to the player's download windows and its limit, also at once", async () => {
  await using place = await openPlace();
  await using player = await startUpdating(place);
  player.limits.set({ windows: [{ from: "14:00", until: "15:00" }] }, timeZoneRulesOrUtc("UTC"));
  player.want(atOnce);
  const { detail } = await player.reaches((update) => update.detail !== null);
  expect(detail).toBe("waits for the download window, which opens at 2026-11-21T14:00:00.000Z");
  expect(place.service.requests).toEqual([]);
  place.clock.advance(2 * hourMs);
  await player.until(() => place.request());

  await place.release("1.5.0");
  player.limits.set({ max_bytes_per_second: 1_000 }, timeZoneRulesOrUtc("UTC"));
  const from = place.clock.now();
  player.want({ ...atOnce, version: "1.5.0" });
  await player.until(async () => (await place.request())?.version === "1.5.0");
  // The bucket lets the first second's bytes pass at once.
  expect(place.clock.now() - from).toBeGreaterThanOrEqual(98_000);
});

test("[UPD22] a bundle that does not fit the disk with its reserve is not fetched, and says how much is missing", async ({ skip }) => {
  await using place = await openPlace();
  const disk = await smallDisk(8);
  if (disk === null) return skip("only root can mount a small disk");
  await using _disk = disk;
  await using player = await startUpdating(place, { launcher: { updatesFolder: disk.path } });
  await writeFile(join(disk.path, "other"), Buffer.alloc(7_600_000));
  player.want(atOnce);
  const { detail } = await player.reaches(({ is }) => is === "blocked");
  expect(detail).toMatch(/MB are missing on the disk for the bundle/);
  await rm(join(disk.path, "other"));
  await player.reaches(({ is }) => is === "installing");
});

test("[UPD23] a stored bundle that the disk has damaged is fetched again", async () => {
  await using place = await openPlace();
  {
    await using player = await startUpdating(place);
    player.want({ ...atOnce, install: "in-window" });
    await player.reaches(({ is }) => is === "waiting");
  }
  const [name] = await place.bundles();
  const path = join(place.options.updatesFolder, "targets", name!);
  await writeFile(path, Buffer.alloc(100_000));
  await using player = await startUpdating(place);
  player.want(atOnce);
  await player.until(() => place.request());
  expect(await readFile(path)).toEqual(bundleOf("1.4.0"));
});

test("[UPD24] times of metadata count by the player's corrected clock: a machine whose clock is behind installs nothing that has expired", async () => {
  await using place = await openPlace();
  await using player = await startUpdating(place);
  // The corrected clock runs on although the machine's is set back.
  place.clock.advance(31 * dayMs);
  place.clock.step(-31 * dayMs);
  expect(place.clock.now()).toBe(noon);
  player.want(atOnce);
  await player.reaches((update) => update.is === "blocked" && update.detail!.includes("expired"));
  expect(await place.request()).toBeNull();
});
