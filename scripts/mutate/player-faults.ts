// Faults in src/player, and in src/playback and src/base, on which it is built.
import { faultsIn, type Fault } from "./fault.ts";

const base: readonly Fault[] = [
  ...faultsIn("src/base/clock.ts", [["if (this.#anchor !== null) return this.#sinceThen(this.#anchor);", ""]]),
  ...faultsIn("src/base/clock-sample.ts", [["errorMs: delayMs / 2 + errorMs", "errorMs: delayMs / 2"]]),
  ...faultsIn("src/base/files/durable-file.ts", [
    ["await file.sync();", ""],
    ["path.length >= first.length", "path.length > first.length"],
    ["return; // missing or damaged", "// missing or damaged"],
    ['end !== 64 || createHash("sha256").update(body).digest("hex") !== text.slice(0, end)', "end !== 64"],
  ]),
  ...faultsIn("src/base/jws.ts", [
    ["if (protectedHeader.typ !== typ) throw new Error(`not a signature of type ${typ}`);", ""],
    [
      '{ payload, protectedHeader } = await compactVerify(jws, jwkOf(publicKey), { algorithms: ["EdDSA"] })',
      '[payload, protectedHeader] = [Buffer.from(jws.split(".")[1]!, "base64url"), JSON.parse(atob(jws.split(".")[0]!))]',
    ],
  ]),
  ...faultsIn("src/base/async/backoff.ts", [["this.#failures = 0;", ""]]),
  ...faultsIn("src/base/async/batch.ts", [["await this.#write(batch", "void this.#write(batch"]]),
  ...faultsIn("src/base/files/zip-bundle.ts", [["bytes += entry.uncompressedSize;", "bytes = entry.uncompressedSize;"]]),
  ...faultsIn("src/base/http/outbound-http.ts", [
    ["if (isIP(host) !== 0 && !rule.allows(host)) throw rule.addressRejected(host);", ""],
    ["this.checkUrl(location, response.url)", "new URL(location, response.url)"],
    ["error ?? addresses.find(", "error ?? addresses.slice(0, 1).find("],
  ]),
  ...faultsIn("src/base/http/ip-address.ts", [
    ['"linkLocal", ', ""],
    ['["64:ff9b:1::/48", [6, 7, 9, 10]],', ""],
  ]),
];

const playback: readonly Fault[] = [
  ...faultsIn("src/player/playback/apply-play-command.ts", [["await endPause(store, now);", ""]]),
  ...faultsIn("src/player/playback/intervention-store.ts", [
    ["await this.#stored.set(kept);", ""],
    [" && (end <= pausedAt || intervention.at > pausedAt)", ""],
  ]),
  ...faultsIn("src/player/playback/set-variables.ts", [[" && (until === null || intervention.until !== null)", ""]]),
  ...faultsIn("src/playback/schedule-plan.ts", [[" || plan.intervals[0]!.from > now", ""]]),
  ...faultsIn("src/playback/zone-playback.ts", [
    ["if (old.current.epochMs !== timeline.epochMs) return fresh;", ""],
    ["instant >= next.from", "instant > next.from"],
  ]),
  ...faultsIn("src/playback/page-plan.ts", [[" || (before !== undefined && interval.from - before.at >= prepareMs)", ""]]),
  ...faultsIn("src/schedule/wall.ts", [["left < wall.left + wall.width", "left <= wall.left + wall.width"]]),
];

const proof: readonly Fault[] = [
  ...faultsIn("src/player/proof/close-play.ts", [["play.started.at > since.at - frameToleranceMs", "play.started.at > since.at"]]),
  ...faultsIn("src/player/proof/plan-change.ts", [
    ["else if (!settled && replacedAt === null)", "else if (replacedAt === null)"],
    ["changeCause(play, successor, since, makeId)", "changeCause(play, successor, now, makeId)"],
  ]),
  ...faultsIn("src/player/proof/play-state.ts", [
    ["if (reported.stage === plays.previousStage) return { plays: { ...plays, lastFrame: at }, done: [] };", ""],
  ]),
  ...faultsIn("src/player/proof/play-files.ts", [["this.#finished.length >= maxFiles", "this.#finished.length > maxFiles"]]),
];

const commands: readonly Fault[] = [
  ...faultsIn("src/player/commands/command-journal.ts", [
    ["issuedAt <= this.#mark.refusedUntil", "issuedAt < this.#mark.refusedUntil"],
    ["for (const entry of this.#entries.values()) this.#forget(entry);", "this.#entries.clear();"],
  ]),
  ...faultsIn("src/player/commands/command-runner.ts", [
    ['if (command.sub !== thumbprint) throw new Error("it is for another device");', ""],
    ["this.#journal.record(entry).then(() => true)", "Promise.resolve(true)"],
  ]),
  ...faultsIn("src/base/token-bucket.ts", [["this.#updatedAt = now;", ""]]),
];

const content: readonly Fault[] = [
  ...faultsIn("src/player/content/ready-content.ts", [["this.#before = new Set(before.files.values());", "this.#before.clear();"]]),
  ...faultsIn("src/player/content/desired-state-store.ts", [
    ["if (desired.player.id !== this.#playerId)", 'if (desired.player.id === "")'],
    ["await this.#stored.set(desired);", ""],
  ]),
  ...faultsIn("src/player/content/feeds/feeds.ts", [["if (trouble !== feed.trouble)", ""]]),
];

const link: readonly Fault[] = [
  ...faultsIn("src/player/link/access.ts", [
    [" || revocation.player_id !== pairing.playerId", ""],
    ["if (grant.service_key !== this.#pairing.serviceKey) {", 'if (grant.service_key === "") {'],
  ]),
  ...faultsIn("src/player/link/connection.ts", [["Math.min(leftMs, pollMs)", "leftMs", "LNK14"]]),
  ...faultsIn("src/player/link/reconnect-delay.ts", [["if (heldMs > stableMs) ", ""]]),
  ...faultsIn("src/player/link/ntp.ts", [[" || !response.subarray(24, 32).equals(cookie)", ""]]),
  ...faultsIn("src/player/pairing/service-key-change.ts", [
    ["if (!this.#isOverTls()) return;", ""],
    [" || gapMs > longestGapMs", ""],
    ["const now = clock.monotonic();", "const now = clock.now();"],
  ]),
];

const surface: readonly Fault[] = [
  ...faultsIn("src/player/surface/recovery-ladder.ts", [["attempts.filter(({ at }) => now - at < memoryMs)", "attempts"]]),
  ...faultsIn("src/player/surface/page-access.ts", [
    ['if (site !== undefined && site !== "same-origin" && site !== "none") return false;', ""],
  ]),
  ...faultsIn("src/player/web-items/outbound-policy.ts", [["allows: isRemoteAddress,", "allows: () => true,"]]),
];

export const playerFaults: readonly Fault[] = [...base, ...playback, ...proof, ...commands, ...content, ...link, ...surface];
