// Faults in src/service.
import { faultsIn, type Fault } from "./fault.ts";

const httpFaults: readonly Fault[] = [
  ...faultsIn("src/service/http/gateway/admission.ts", [
    ["if (scope !== undefined) requireScope", 'if (scope !== undefined && operation.method !== "GET") requireScope'],
  ]),
  ...faultsIn("src/service/http/gateway/gateway.ts", [
    ["input.body ?? null, input.bytes.sha256]", "input.body ?? null]"],
    ["await change(db, context.withOperator(operator));", "await change(db, context);"],
    ["changesScreens && (await needsApproval", "recorded.length > 99 && (await needsApproval", "APR5"],
    ["if (needsProof(operation, input.body)) requireProof", "if (isRead(operation)) requireProof"],
  ]),
  ...faultsIn("src/service/http/gateway/place.ts", [["!(await needsApproval(db, context.operator))", "true", "APR1"]]),
  ...faultsIn("src/service/http/gateway/audited-write.ts", [[".at(-1) ?? null", ".at(0) ?? null"]]),
  ...faultsIn("src/service/http/gateway/conditional-writes.ts", [['header.split(",").some(', 'header.split(",").every(']]),
  ...faultsIn("src/service/http/idempotency.ts", [['.where("created_at", "<", Math.trunc', '.where("created_at", ">", Math.trunc']]),
  ...faultsIn("src/service/http/paging.ts", [
    ["digestOf(filters)", "digestOf(Object.keys(filters))"],
    ["} desc`", "} asc`"],
  ]),
  ...faultsIn("src/service/http/limits/rate-limit.ts", [["recent.length < this.#limit ? 0", "recent.length <= this.#limit ? 0"]]),
  ...faultsIn("src/service/http/origin.ts", [["[known.origin, requested]", "[known.origin]"]]),
  ...faultsIn("src/service/http/input/errors.ts", [["&& misspelt.has(place)", "&& seen.has(place)"]]),
  ...faultsIn("src/service/http/responses/file-response.ts", [["if (ifRange !== undefined && ifRange !== etag) return null;", "", "AST5"]]),
  ...faultsIn("src/service/http/responses/csv.ts", [["|＝＋－＠]", "|]", "POP5"]]),
];

const peopleFaults: readonly Fault[] = [
  ...faultsIn("src/service/people/operator.ts", [['scope !== "teams:write" && scope !== "audit:read"', 'scope !== "teams:write"']]),
  ...faultsIn("src/service/people/authentication.ts", [
    ["end > now)", "end >= now)"],
    ['.onRef("members.user_id", "=", "tokens.user_id")', ""],
  ]),
  ...faultsIn("src/service/people/grants.ts", [["return requested.filter((scope) => held.includes(scope));", "return [...requested];"]]),
  ...faultsIn("src/service/people/store/invitations.ts", [['.where("token_id", "in", tokenIds)', ""]]),
  ...faultsIn("src/service/people/audit.ts", [[".update(previousHash)", ""]]),
  ...faultsIn("src/service/people/token-expiry.ts", [["wait(expiresAt - this.#clock.now(), ended)", "wait(expiresAt, ended)", "GRA7"]]),
];

const fleetFaults: readonly Fault[] = [
  ...faultsIn("src/service/fleet/pairing/pairing.ts", [
    ['await db.deleteFrom("device_tokens").where("player_id", "=", player.id).execute();', ""],
  ]),
  ...faultsIn("src/service/fleet/pairing/guess-limiter.ts", [["[this.#byUser, userId],", "", "TOK13"]]),
  ...faultsIn("src/service/fleet/commands/status.ts", [
    ["order.indexOf(status) > order.indexOf(current)", "order.indexOf(status) !== order.indexOf(current)", "SCM1"],
  ]),
  ...faultsIn("src/service/fleet/commands/expiry.ts", [["const silenceMs = hourMs;", "const silenceMs = 360_000;", "SCM6"]]),
  ...faultsIn("src/service/fleet/commands/signing.ts", [["sub: player.thumbprint,", "sub: player.id,", "SCM1"]]),
  ...faultsIn("src/service/fleet/presence/presence.ts", [['latest.link === "gone" || this.#clock', "this.#clock", "PRB5"]]),
  ...faultsIn("src/service/fleet/problems/open-problems.ts", [["keys.size === open.size && ", "", "EVT2"]]),
  ...faultsIn("src/service/fleet/devices/device-journal.ts", [["|| lastSeq < trimmed ", "", "DEV5"]]),
  ...faultsIn("src/service/fleet/devices/device-access.ts", [[" || result.data.aud !== audience", "", "DEV1"]]),
];

const eventFaults: readonly Fault[] = [
  ...faultsIn("src/service/events/event-journal.ts", [
    ['selectAll().where("team_id", "=", teamId).where("seq", ">", after)', 'selectAll().where("seq", ">", after)', "ISO1"],
    ['deleteFrom("events").where("team_id", "=", team_id)', 'deleteFrom("events")', "RET7"],
  ]),
  ...faultsIn("src/service/events/subscription.ts", [["!players.isDisjointFrom(audience)", "players.isSupersetOf(audience)", "SUB2"]]),
  ...faultsIn("src/service/events/webhooks/signature.ts", [["secret.slice(prefix.length)", "secret", "WHK2"]]),
  ...faultsIn("src/service/events/webhooks/health.ts", [['.where("warned_at", "is", null)', "", "WHK14"]]),
  ...faultsIn("src/service/events/webhooks/due-deliveries.ts", [["rows.filter(({ id }) => !inProgress.has(id))", "rows", "WHK6"]]),
  ...faultsIn("src/service/events/webhooks/delivery-attempts.ts", [["(delaysMs[number] ?? 0)", "(delaysMs[number - 1] ?? 0)", "WHK4"]]),
  ...faultsIn("src/service/events/webhooks/secrets.ts", [["{ ...current, expires_at: now + overlapMs }", "current", "WHK3"]]),
];

const contentFaults: readonly Fault[] = [
  ...faultsIn("src/service/content/web-secrets.ts", [[" && originOf(old) === originOf(item)", "", "SEC3"]]),
  ...faultsIn("src/service/content/uploads/uploads.ts", [[" || row.team_id !== teamId", "", "UPL2"]]),
  ...faultsIn("src/service/content/blob-sweeper.ts", [['["assets", "thumbnail_sha256"],', "", "AST26"]]),
  ...faultsIn("src/service/media/formats/svg.ts", [["const element = localName(name);", "const element = name.toLowerCase();", "AST10"]]),
  ...faultsIn("src/service/media/formats/bmp.ts", [["storedHeight > 0 ?", "storedHeight < 0 ?", "MFO2"]]),
  ...faultsIn("src/service/media/formats/bundle.ts", [['.normalize("NFC").toLowerCase()', '.normalize("NFC")', "AST16"]]),
  ...faultsIn("src/service/media/formats/xml.ts", [["open.length > maxDepth", "open.length >= maxDepth", "AST10"]]),
];

const otherFaults: readonly Fault[] = [
  ...faultsIn("src/service/schedule/check.ts", [['.where("team_id", "=", teamId)', "", "TEA11"]]),
  ...faultsIn("src/service/schedule/outlook/warnings.ts", [["(schedule.starts_at)!.at - dayMs;", "(schedule.starts_at)!.at;", "WRN2"]]),
  ...faultsIn("src/service/schedule/calendars/icalendar.ts", [["dayOf(ends - 1)", "dayOf(ends)", "CAL18"]]),
  ...faultsIn("src/service/store/backup/tar.ts", [
    ["Number.parseInt(text(148, 156), 8) !== checksum(header)", "Number.isNaN(Number.parseInt(text(148, 156), 8))", "BKP3"],
  ]),
  ...faultsIn("src/service/store/canonical-json.ts", [["Object.keys(fields).sort()", "Object.keys(fields)", "CNT5"]]),
  ...faultsIn("src/service/cleanup/bin.ts", [["others.length === 0 ? first", "left.length === 0 ? first", "SRE10"]]),
];

export const serviceFaults: readonly Fault[] = [
  ...httpFaults,
  ...peopleFaults,
  ...fleetFaults,
  ...eventFaults,
  ...contentFaults,
  ...otherFaults,
];
