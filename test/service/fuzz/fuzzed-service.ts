// The service as the fuzzer uses it: the described operations, known ids, and tokens with fewer scopes or of another team.
import { randomBytes } from "node:crypto";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { generateToken, hashSecret } from "../../../src/service/people/token-secrets.ts";
import type { Schema } from "../../../src/service/openapi/json.ts";
import { sampleOf } from "../../../src/service/openapi/samples.ts";
import { described, resolve } from "../openapi/contract.ts";
import { call, heartbeat, picture, type ApiResponse, type TestService, type Device } from "../harness.ts";
import { idKindOf, type Pool } from "./arbitraries.ts";
import { openTables } from "../tables-of.ts";

type Described = (typeof described)[number];

/** An operation to fuzz. */
export interface Target {
  name: string;
  method: string;
  path: string;
  /** The kind of token that it needs. */
  caller: "operator" | "device" | null;
  scope: string | null;
  params: { name: string; kind: string | null; schema: Schema; example?: unknown }[];
  query: { name: string; schema: Schema }[];
  headers: string[];
  body: Schema | null;
  example: unknown;
}

/** Operations that are not fuzzed, and why. */
export const skippedOperations = new Map<string, string>();
/** Operations that are fuzzed. */
export const targets: readonly Target[] = described.flatMap((each) => {
  const reason = reasonAgainst(each);
  if (reason !== null) skippedOperations.set(each.operation.operationId, reason);
  return reason === null ? [targetOf(each)] : [];
});

function reasonAgainst({ operation }: Described): string | null {
  if (operation.responses["101"] !== undefined && operation.responses["200"] === undefined)
    return "a WebSocket: its messages have their own tests";
  if (operation.tags.includes("uploads")) return "tus: a separate protocol with its own tests";
  const types = Object.keys(operation.requestBody?.content ?? { "application/json": null });
  return types.includes("application/json") ? null : `a body of ${types.join(", ")}: files have their own tests`;
}

function targetOf({ path, method, operation }: Described): Target {
  const parameters = (operation.parameters ?? []).map(
    (each) => resolve(each) as { name: string; in: string; schema: Schema; example?: unknown },
  );
  const of = (place: string) => parameters.filter((each) => each.in === place);
  const [scheme] = operation.security ?? [];
  const [caller, scopes] = Object.entries(scheme ?? {})[0] ?? [null, []];
  const json = operation.requestBody?.content["application/json"];
  return {
    name: operation.operationId,
    method,
    path,
    caller: caller as Target["caller"],
    scope: scopes[0] ?? null,
    params: of("path").map((each) => ({ ...each, kind: idKindOf(each.schema) })),
    // Long polling would block the fuzzer.
    query: of("query").filter(({ name }) => name !== "wait_seconds"),
    headers: of("header")
      .map(({ name }) => name)
      .filter((name) => name !== "Prefer"),
    body: json?.schema ?? null,
    // The service must not fetch from a real site.
    example:
      json === undefined ? undefined : JSON.parse(JSON.stringify(json.example).replaceAll(/https?:\/\/[^/"\\]+/g, "https://fuzz.invalid")),
  };
}

/** A service with resources of every kind. */
export class FuzzedService {
  readonly api: TestService;
  readonly device: Device;
  readonly pool: Pool = new Map();
  /** The number of requests sent. */
  sent = 0;
  /** How many of them were random. */
  random = 0;
  /** How often each status was received, by operation. */
  readonly seen = new Map<string, Map<number, number>>();
  readonly #own: ReadonlySet<string>;
  readonly #tokens = new Map<string, string>();

  private constructor(api: TestService, device: Device) {
    this.api = api;
    this.device = device;
    // Never delete or change the fuzzer's own token, user or team: it could not continue.
    this.#own = new Set(Object.values(this.#row("tokens", "hash", hashSecret(api.token))).map(String));
  }

  static async start(api: TestService): Promise<FuzzedService> {
    const device = await api.pairDevice();
    const fuzzed = new FuzzedService(api, device);
    const { asset, playlist, layout } = await api.showPicture(device);
    fuzzed.collectIds([asset, playlist, layout]);
    await device.call("POST", "heartbeat", heartbeat());
    fuzzed.collectIds({ id: (await api.pairDevice("To be deleted")).playerId });
    const shot = `shot_${asset.id.slice(4)}`;
    await device.putScreenshot(shot, await picture());
    fuzzed.collectIds({ id: shot, player: device.playerId });
    await fuzzed.sendExamples();
    return fuzzed;
  }

  /** Sends the example of each creating operation once and collects the ids, so that most kinds of resources exist. */
  async sendExamples(): Promise<void> {
    for (const target of targets) {
      if (target.method !== "POST" || target.caller !== "operator") continue;
      const answer = await this.ask(target, { body: target.example });
      this.collectIds(answer.body);
    }
  }

  /** A token of the same team without `scope`. */
  tokenWithout(scope: string): string {
    return this.#remember(`without ${scope}`, () => {
      const { scopes, ...row } = this.#row("tokens", "hash", hashSecret(this.api.token));
      const fewer = (JSON.parse(scopes as string) as string[]).filter((each) => each !== scope);
      return this.#newToken({ ...row, scopes: JSON.stringify(fewer) });
    });
  }

  /** A token with all scopes for another team and user. */
  otherTeamToken(): string {
    return this.#remember("foreign", () => {
      const token = this.#row("tokens", "hash", hashSecret(this.api.token));
      const teamId = freshId("team");
      this.#insert("teams", { ...this.#row("teams", "id", token["team_id"] as string), id: teamId });
      if (!("user_id" in token)) return this.#newToken({ ...token, team_id: teamId });
      const userId = freshId("usr");
      this.#insert("users", { ...this.#row("users", "id", token["user_id"] as string), id: userId, email: null });
      this.#insert("members", { ...this.#row("members", "user_id", token["user_id"] as string), user_id: userId, team_id: teamId });
      return this.#newToken({ ...token, team_id: teamId, user_id: userId });
    });
  }

  /** The token with all scopes that the operation needs. */
  tokenFor({ caller }: Target): string | null {
    return caller === null ? null : caller === "device" ? this.device.access.access_token : this.api.token;
  }

  /** Ids for an operation's path: known ids if possible, otherwise random ones. */
  idsFor(target: Target, place = 0): Record<string, string> {
    return Object.fromEntries(
      target.params.map(({ name, kind, schema, example }) => {
        const pooled = kind === null ? [] : (this.pool.get(kind) ?? []);
        // Never delete the calling device: pairing another one would hit the limit of codes.
        const known =
          target.method === "GET"
            ? [...pooled, ...[...this.#own].filter((each) => each.startsWith(`${kind}_`))]
            : pooled.filter((each) => target.method !== "DELETE" || each !== this.device.playerId);
        const madeUp = () => String(example ?? sampleOf(schema, ($ref) => resolve({ $ref }), name));
        return [name, known[place % Math.max(1, known.length)] ?? madeUp()];
      }),
    );
  }

  /** Sends a request. Rejects if the response does not match the description. */
  async ask(
    target: Target,
    how: { ids?: Record<string, string>; query?: string; body?: unknown; headers?: Record<string, string>; token?: string | null },
  ): Promise<ApiResponse> {
    const { ids = this.idsFor(target), query = "", body, headers = {}, token = this.tokenFor(target) } = how;
    const path = target.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name]!));
    const authorization: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    this.sent += 1;
    const text = typeof body === "string" && "content-type" in headers ? body : JSON.stringify(body);
    // Never delete the calling device, as above.
    const raw = target.name === "deletePlayers" ? text?.replaceAll(this.device.playerId, unknownId("plr")) : text;
    const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const answer = await call(this.api.service.url, target.method, path + query, raw, { ...authorization, ...type, ...headers });
    const counts = this.seen.get(target.name) ?? new Map<number, number>();
    this.seen.set(target.name, counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1));
    return answer;
  }

  /** Collects all ids in a response, newest first. */
  collectIds(part: unknown): void {
    if (part instanceof Uint8Array) return;
    for (const [id, prefix = "sha256"] of JSON.stringify(part ?? null).matchAll(/\b(?:([a-z]+)_[0-9a-hjkmnp-tv-z]{26}|[0-9a-f]{64})\b/g)) {
      const known = this.pool.get(prefix) ?? [];
      if (!this.#own.has(id) && !known.includes(id)) this.pool.set(prefix, [id, ...known].slice(0, 30));
    }
  }

  /** Removes the id of a deleted resource. */
  removeIds(ids: Record<string, string>): void {
    const gone = Object.values(ids).at(-1);
    for (const [kind, known] of this.pool)
      this.pool.set(
        kind,
        known.filter((id) => id !== gone),
      );
  }

  #remember(name: string, make: () => string): string {
    const token = this.#tokens.get(name) ?? make();
    this.#tokens.set(name, token);
    return token;
  }

  #newToken(row: Record<string, unknown>): string {
    const token = generateToken();
    this.#insert("tokens", { ...row, id: freshId("tok"), hash: hashSecret(token) });
    return token;
  }

  // A second connection to the database file copies whole rows, with all of their columns.
  #row(table: string, column: string, value: string): Record<string, SQLInputValue> {
    using file = this.#open();
    return file.prepare(`SELECT * FROM ${table} WHERE ${column} = ?`).get(value) as Record<string, SQLInputValue>;
  }

  #insert(table: string, row: Record<string, unknown>): void {
    using file = this.#open();
    const names = Object.keys(row);
    const values = Object.values(row) as SQLInputValue[];
    file.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`).run(...values);
  }

  #open(): DatabaseSync {
    return openTables(this.api.folder);
  }
}

/** A random id of a kind. */
export function unknownId(kind: string): string {
  return kind === "sha256" ? randomBytes(32).toString("hex") : freshId(kind);
}

function freshId(prefix: string): string {
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  return `${prefix}_${[...randomBytes(26)].map((byte) => alphabet[byte % 32]!).join("")}`;
}
