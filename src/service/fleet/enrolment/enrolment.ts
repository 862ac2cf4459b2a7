// Enrols devices: a device that has an enrolment key becomes a player, or gets the player that it was before.
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { iso, minuteMs } from "../../../base/time.ts";
import type { EnrolmentGrant, EnrolmentRequest, EnrolmentWarning } from "../../../protocol/device/enrolment.ts";
import type { EnrolmentRefusal } from "../../../protocol/operator/enrolment.ts";
import { ProblemError, invalidField } from "../../http/problem.ts";
import type { AttemptLimit, MakeLimit } from "../../http/limits/attempt-limit.ts";
import { addressKey, tooManyRequests } from "../../http/limits/rate-limit.ts";
import type { Contexts } from "../../operations/context.ts";
import type { Change, UnitOfWork, WriteEvent } from "../../operations/unit-of-work.ts";
import type { AuditLog } from "../../people/audit.ts";
import { hashSecret, isWellFormedEnrolmentKey } from "../../people/token-secrets.ts";
import { deleteOverrides } from "../../schedule/overrides.ts";
import type { Db, Store } from "../../store/store.ts";
import type { EnrolmentKeyRow, PlayerRow } from "../../store/tables/fleet.ts";
import type { Commands } from "../commands/commands.ts";
import type { DeviceAccess } from "../devices/device-access.ts";
import type { DeviceJournal } from "../devices/device-journal.ts";
import type { DeviceSockets } from "../devices/device-sockets.ts";
import type { Pairing } from "../pairing/pairing.ts";
import type { PlayerProblems } from "../problems/problems.ts";
import type { Presence } from "../presence/presence.ts";
import { updateTagIndex } from "../players/targets.ts";
import { findEarlierPlayer } from "./earlier-player.ts";
import { endOfKey, findKeyByHash, usedUp } from "./key-rows.ts";
import { type MachineIdentity, machineIdentityOf } from "./machine-identity.ts";

export interface EnrolmentDependencies {
  access: DeviceAccess;
  audit: AuditLog;
  clock: Clock;
  commands: Commands;
  journal: DeviceJournal;
  log: Log;
  pairing: Pairing;
  presence: Presence;
  problems: PlayerProblems;
  sockets: DeviceSockets;
  store: Store;
  makeLimit: MakeLimit;
}

/** Unknown keys from one address in a minute. A box that tries again and again stays below. */
const maxUnknownKeysPerMinute = 30;

/** How one request ended. A refusal is committed, so that operators see it, and thrown afterwards. */
type Decision =
  | { is: "refused"; problem: ProblemError }
  | { is: "granted"; grant: EnrolmentGrant; player: PlayerRow; previous: PlayerRow | null };

interface Device {
  request: EnrolmentRequest;
  machine: MachineIdentity;
}

export class Enrolment {
  readonly #dependencies: EnrolmentDependencies;
  readonly #unknownKeys: AttemptLimit;

  constructor(dependencies: EnrolmentDependencies) {
    this.#dependencies = dependencies;
    this.#unknownKeys = dependencies.makeLimit("enrolment-key", maxUnknownKeysPerMinute, minuteMs);
  }

  /**
   * Enrols a device that proves possession of its key, in one transaction: the count of the enrolment key is never exceeded.
   * @throws ProblemError with one of the types of `enrolmentRefusals`; `enrolment-undecided` if the device has to wait; 422 for a
   * proof that does not match; 429 after too many unknown keys.
   */
  async enrol(request: EnrolmentRequest, context: Contexts["anyone"], unitOfWork: UnitOfWork<"anyone">): Promise<EnrolmentGrant> {
    const { access, clock, log, store } = this.#dependencies;
    const hash = hashSecret(request.key);
    const isKnown = isWellFormedEnrolmentKey(request.key) && (await findKeyByHash(store.db, hash)) !== undefined;
    if (!isKnown) throw await this.#unknownKey(context.address);
    if (!(await access.isValidProof(request.proof, request.public_key, request.key))) {
      throw invalidField("/proof", "does not match the device's key, the enrolment key or an unused nonce: request a new nonce");
    }
    const device = { request, machine: machineIdentityOf(request) };
    const decision = await unitOfWork.write((db) => this.#decide(db, hash, device, context, Math.trunc(clock.now())));
    if (decision.is === "refused") {
      log.warn({ reason: decision.problem.kind, serial: device.machine.serial, mac: device.machine.mac }, "enrolment refused");
      throw decision.problem;
    }
    await this.#finish(decision);
    return decision.grant;
  }

  /** Keys that exist are never delayed: many boxes may share the address of one with a wrong key. */
  async #unknownKey(address: string): Promise<ProblemError> {
    const caller = addressKey(address);
    const { waitMs } = await this.#unknownKeys.take(caller);
    if (waitMs > 0) return tooManyRequests("Too many unknown enrolment keys", waitMs);
    this.#dependencies.log.warn({ address: caller }, "enrolment refused: unknown key");
    return new ProblemError("enrolment-key-unknown", "There is no such enrolment key at this service: copy the whole key, or pair by code");
  }

  async #decide(db: Db, hash: string, device: Device, context: Contexts["anyone"], now: number): Promise<Change<Decision>> {
    const { presence } = this.#dependencies;
    const key = await findKeyByHash(db, hash);
    if (key === undefined) throw await this.#unknownKey(context.address);
    const team = await db.selectFrom("teams").select("deleted_at").where("id", "=", key.team_id).executeTakeFirstOrThrow();
    const end = endOfKey(key, team.deleted_at !== null, now);
    const earlier = await findEarlierPlayer(db, presence, key, { ...device.machine, publicKey: device.request.public_key }, now);
    // The device has the player's key already, such as after a power cut before it stored the grant. So the enrolment key's end
    // does not change the rights of the device.
    if (earlier.is === "same-device") return this.#grant(db, earlier.player, "same-device", [], null);
    if (end !== null) return this.#refuse(db, key, end, device, context, now);
    if (earlier.is === "undecided") throw undecided(earlier.player, earlier.waitMs);
    if (earlier.is === "same-machine") return this.#takeAgain(db, key, earlier.player, device, context, now);
    if (key.used_count >= key.max_count) return this.#refuse(db, key, usedUp(key), device, context, now);
    return this.#create(db, key, device, earlier.warnings, context, now);
  }

  async #create(
    db: Db,
    key: EnrolmentKeyRow,
    { request, machine }: Device,
    earlier: readonly EnrolmentWarning[],
    context: Contexts["anyone"],
    now: number,
  ): Promise<Change<Decision>> {
    const n = key.used_count + 1;
    const warnings = [...earlier];
    const layoutId = (await hasLayout(db, key)) ? key.layout_id : null;
    if (layoutId !== key.layout_id) warnings.push(layoutWarning(key));
    const tags = JSON.parse(key.tags) as string[];
    const newPlayer = { teamId: key.team_id, name: playerName(key.name_pattern, machine, n), layoutId, tags };
    const player = await this.#dependencies.pairing.createPlayer(db, newPlayer, describedDevice(request));
    if (tags.length > 0) await updateTagIndex(db, [player]);
    await db
      .insertInto("enrolments")
      .values({ player_id: player.id, key_id: key.id, ...machine, enrolled_at: now })
      .execute();
    await db.updateTable("enrolment_keys").set({ used_count: n, last_used_at: now }).where("id", "=", key.id).execute();
    await this.#audit(db, key, player, context);
    const events = [eventOf("player.paired", key, player, warnings)];
    return { ...(await this.#grant(db, player, "new", warnings, null)), events };
  }

  async #takeAgain(
    db: Db,
    key: EnrolmentKeyRow,
    before: PlayerRow,
    { request, machine }: Device,
    context: Contexts["anyone"],
    now: number,
  ): Promise<Change<Decision>> {
    const { commands, journal, pairing } = this.#dependencies;
    const player = await pairing.moveToDevice(db, before, describedDevice(request));
    await commands.cancelAll(db, player.id);
    await journal.clear(db, player.id);
    await deleteOverrides(db, player.id);
    await db
      .updateTable("enrolments")
      .set({ ...machine, enrolled_at: now })
      .where("player_id", "=", player.id)
      .execute();
    const counts = { returned_count: key.returned_count + 1, last_used_at: now };
    await db.updateTable("enrolment_keys").set(counts).where("id", "=", key.id).execute();
    await this.#audit(db, key, player, context);
    const events = [eventOf("player.replaced", key, player, [])];
    return { ...(await this.#grant(db, player, "same-machine", [], before)), events };
  }

  async #grant(
    db: Db,
    player: PlayerRow,
    outcome: EnrolmentGrant["outcome"],
    warnings: EnrolmentWarning[],
    before: PlayerRow | null,
  ): Promise<Change<Decision>> {
    // Nobody should claim a code that the device no longer shows.
    await db.deleteFrom("pairing_requests").where("public_key", "=", player.public_key).where("player_id", "is", null).execute();
    const grant = { ...(await this.#dependencies.access.issueToken(player, db)), outcome, warnings };
    const previous = before === null ? null : { ...before, removed_at: player.updated_at };
    if (previous !== null) await this.#dependencies.presence.announceForgotten(db, [player.id]);
    return { result: { is: "granted", grant, player, previous }, affected: outcome === "same-device" ? [] : [player] };
  }

  async #refuse(
    db: Db,
    key: EnrolmentKeyRow,
    problem: ProblemError,
    { machine }: Device,
    { address }: Contexts["anyone"],
    now: number,
  ): Promise<Change<Decision>> {
    const reason = problem.kind as EnrolmentRefusal["reason"];
    const refusal: EnrolmentRefusal = { at: iso(now), reason, detail: problem.message, ...machine, address };
    const counts = { refused_count: key.refused_count + 1, last_refusal: JSON.stringify(refusal) };
    await db.updateTable("enrolment_keys").set(counts).where("id", "=", key.id).execute();
    return { result: { is: "refused", problem } };
  }

  /** The audit log names the operator and the token that made the key. */
  async #audit(db: Db, key: EnrolmentKeyRow, player: PlayerRow, { address, requestId }: Contexts["anyone"]): Promise<void> {
    const by = { teamId: key.team_id, userId: key.created_by, tokenId: key.token_id };
    const what = { action: "enrolDevice", resourceType: "enrolment keys", resourceId: player.id, before: null, after: null };
    await this.#dependencies.audit.append(db, { ...by, ...what, address, requestId });
  }

  async #finish({ grant, player, previous }: Extract<Decision, { is: "granted" }>): Promise<void> {
    const { log, presence, problems, sockets } = this.#dependencies;
    if (previous !== null) {
      await sockets.revoke(previous);
      // The last heartbeat of the machine's earlier installation does not describe this one.
      await presence.forgetLatest(player.id);
      problems.identities.forget(player.id);
    }
    const { outcome, warnings } = grant;
    log.info({ player_id: player.id, name: player.name, outcome, warnings: warnings.map(({ code }) => code) }, "device enrolled");
  }
}

function describedDevice({ public_key, player_version, hardware, timezone, resolution }: EnrolmentRequest) {
  return { public_key, reported: JSON.stringify({ player_version, hardware, timezone, resolution }) };
}

function undecided({ id, name }: PlayerRow, waitMs: number): ProblemError {
  const seconds = Math.ceil(waitMs / 1_000);
  const detail = `The screen “${name}” (${id}) of this machine showed signs of life a moment ago. If it stays silent, this device takes its place in ${seconds} s: try again then`;
  return new ProblemError("enrolment-undecided", detail, { headers: { "Retry-After": String(seconds) } });
}

async function hasLayout(db: Db, { team_id, layout_id }: EnrolmentKeyRow): Promise<boolean> {
  if (layout_id === null) return true;
  const layouts = db.selectFrom("layouts").select("id").where("team_id", "=", team_id).where("id", "=", layout_id);
  return (await layouts.where("deleted_at", "is", null).executeTakeFirst()) !== undefined;
}

function layoutWarning({ name, layout_id }: EnrolmentKeyRow): EnrolmentWarning {
  const message = `The layout of the enrolment key “${name}” (${layout_id}) was deleted: the screen has none. Assign one, and give the key another`;
  return { code: "layout-missing", message };
}

function eventOf(
  type: "player.paired" | "player.replaced",
  key: EnrolmentKeyRow,
  player: PlayerRow,
  warnings: readonly EnrolmentWarning[],
): WriteEvent {
  const data = { player_id: player.id, name: player.name, enrolment_key_id: key.id, warnings };
  return { teamId: key.team_id, type, data, players: [player.id] };
}

const longestName = 200;

/**
 * The name for the `n`th player of a key. A placeholder that is unknown becomes the other one: without a serial, {serial} is the MAC
 * address without colons, and without both it is the number.
 */
function playerName(pattern: string, { serial, mac }: MachineIdentity, n: number): string {
  const address = mac?.replaceAll(":", "") ?? null;
  const name = pattern
    .replaceAll("{serial}", serial ?? address ?? String(n))
    .replaceAll("{mac}", address ?? serial ?? String(n))
    .replaceAll(/\{n(?::([1-9]))?\}/g, (_all, digits: string | undefined) => String(n).padStart(Number(digits ?? 1), "0"));
  return name.slice(0, longestName).trim();
}
