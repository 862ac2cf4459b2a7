// The API's description, OpenAPI 3.1, made from the table of operations.
import type { FastifySchema } from "fastify";
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from "fastify-type-provider-zod";
import type { SwaggerOptions } from "@fastify/swagger";
import { z } from "zod";
import * as command from "../protocol/command.ts";
import * as desired from "../protocol/desired.ts";
import * as items from "../protocol/items.ts";
import * as report from "../protocol/report.ts";
import * as resources from "../protocol/resources.ts";
import * as schedule from "../protocol/schedule.ts";
import * as wire from "../protocol/wire.ts";
import { operations, tags } from "./operations.ts";
import type { Operation } from "./operations/operation.ts";
import { problemKinds, type ProblemKind } from "./problem.ts";

const components: Record<string, z.ZodType> = {
  Problem: resources.Problem,
  Player: resources.Player,
  PlayerChange: resources.PlayerChange,
  PairRequest: resources.PairRequest,
  Layout: resources.Layout,
  NewLayout: resources.NewLayout,
  LayoutChange: resources.LayoutChange,
  Zone: resources.Zone,
  NewZone: resources.NewZone,
  Playlist: resources.Playlist,
  NewPlaylist: resources.NewPlaylist,
  PlaylistChange: resources.PlaylistChange,
  PlaylistItem: items.PlaylistItem,
  NewPlaylistItem: items.NewPlaylistItem,
  Schedule: schedule.Schedule,
  NewSchedule: schedule.NewSchedule,
  ScheduleChange: schedule.ScheduleChange,
  Condition: schedule.Condition,
  Asset: resources.Asset,
  Command: command.Command,
  CommandRequest: command.CommandRequest,
  CommandUpdate: command.CommandUpdate,
  Screenshot: command.Screenshot,
  Desired: desired.Desired,
  Heartbeat: report.Heartbeat,
  HeartbeatAnswer: report.HeartbeatAnswer,
  ContentState: report.ContentState,
  PresentedItem: report.PresentedItem,
  PairingRequest: wire.PairingRequest,
  PairingGrant: wire.PairingGrant,
  TokenRequest: wire.TokenRequest,
  TokenGrant: wire.TokenGrant,
  TokenRefusal: wire.TokenRefusal,
};

/** How @fastify/swagger is to describe the routes. */
export function descriptionOptions(version: string): SwaggerOptions {
  nameComponents();
  const zodToJsonConfig = {};
  const transformObject = createJsonSchemaTransformObject({ zodToJsonConfig });
  return {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "signage-player service",
        version,
        description:
          "Put content on screens: pair a player, upload assets, make playlists and layouts, assign them, send commands, see screenshots. Errors are RFC 9457 problems that name the field. Lists are `{data, next_cursor}`. Every POST takes an `Idempotency-Key`; changes take `If-Match`.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      tags: [...tags],
      components: {
        securitySchemes: {
          operator: { type: "http", scheme: "bearer", description: "An access token, `sgn_pat_…`; the first one is in DIR/admin-token" },
          device: { type: "http", scheme: "bearer", description: "A device's one-hour token, `sgn_dev_…`" },
        },
      },
    },
    transform: createJsonSchemaTransform({ zodToJsonConfig }),
    transformObject: (document) => finish(transformObject(document) as unknown as Document) as never,
  };
}

/** What Fastify needs to know of an operation: schemas to check by, and words for its description. */
export function routeSchema(each: Operation): FastifySchema {
  const problems = Object.groupBy(errorsOf(each), (kind) => problemKinds[kind].status);
  const refusals = Object.entries(problems).map(([status, kinds]) => [
    status,
    {
      description: kinds!.map((kind) => `${problemKinds[kind].title} (\`${kind}\`)`).join("; "),
      content: { "application/problem+json": { schema: resources.Problem } },
    },
  ]);
  const others = Object.entries(each.others ?? {}).map(([status, { description, schema }]) => [
    status,
    schema === undefined ? noBody(description) : { description, content: { "application/json": { schema } } },
  ]);
  return {
    operationId: each.name,
    tags: [each.tag],
    summary: each.summary,
    description: describe(each),
    ...(each.caller === "anyone" ? {} : { security: [{ [each.caller]: [] }] }),
    ...(each.params === undefined ? {} : { params: each.params }),
    ...(each.query === undefined ? {} : { querystring: each.query }),
    ...(each.body === undefined ? {} : { body: each.body }),
    response: Object.fromEntries([...refusals, [each.status, success(each)], ...others]) as Record<string, unknown>,
  };
}

function success(each: Operation): object {
  if (each.file === undefined && each.output instanceof z.ZodUndefined) return noBody(each.summary);
  const types = each.file ?? ["application/json"];
  const schema = each.file === undefined ? each.output : z.unknown();
  return { description: each.summary, content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

/** A schema that the description tells as an answer without a body. */
function noBody(description: string): z.ZodType {
  return z.undefined().describe(description);
}

function errorsOf(each: Operation): ProblemKind[] {
  const kinds = new Set<ProblemKind>(each.errors);
  if (each.caller !== "anyone") kinds.add("unauthorized");
  if (each.scope !== undefined) kinds.add("forbidden");
  if (each.body !== undefined) for (const kind of ["malformed-json", "too-large", "unsupported-media-type"] as const) kinds.add(kind);
  if (each.method === "POST" && each.caller === "operator") for (const kind of ["in-flight", "key-reused"] as const) kinds.add(kind);
  return [...kinds];
}

function describe(each: Operation): string {
  const scope = each.scope === undefined ? "" : `\n\nScope: \`${each.scope}\`.`;
  const example = each.example === undefined ? "" : `\n\n\`\`\`json\n${JSON.stringify(each.example, null, 2)}\n\`\`\``;
  return each.description + scope + example;
}

function nameComponents(): void {
  for (const [id, schema] of Object.entries(components)) {
    const known = z.globalRegistry.get(schema);
    if (known?.id === undefined) z.globalRegistry.add(schema, { ...known, id });
  }
}

type Json = Record<string, unknown>;
type Described = Json & { operationId?: string; parameters?: Json[]; requestBody?: Json };
type Document = { paths: Record<string, Record<string, Described>>; components: { schemas: Record<string, unknown> } & Json };

/** Adds what schemas do not tell (examples, raw bodies, headers) and drops components that nothing refers to. */
function finish(document: Document): Document {
  const byName = new Map(operations.map((each) => [each.name, each]));
  for (const methods of Object.values(document.paths)) {
    for (const described of Object.values(methods)) {
      const each = byName.get(described.operationId ?? "");
      if (each !== undefined) complete(described, each);
    }
  }
  return withPlainNames(document);
}

function complete(described: Described, each: Operation): void {
  const headers = { ...each.headers };
  if (each.method === "POST" && each.caller === "operator")
    headers["Idempotency-Key"] = "Makes a repeat within 24 h answer as the first did";
  if (each.current !== undefined) headers["If-Match"] = "The ETag that the change was made from; another one is refused with 412";
  const parameters = Object.entries(headers).map(([name, description]) => ({
    name,
    in: "header",
    required: description.endsWith("required"),
    description,
    schema: { type: "string" },
  }));
  if (parameters.length > 0) described.parameters = [...(described.parameters ?? []), ...parameters];
  if (each.bytes !== undefined) described.requestBody = { required: true, content: { "*/*": { schema: {} } } };
  const content = described.requestBody?.["content"] as Record<string, Json> | undefined;
  if (each.example !== undefined && content?.["application/json"] !== undefined) content["application/json"]["example"] = each.example;
}

/** fastify-type-provider-zod makes two components of each schema; of those in use, one that has no twin gets its plain name. */
function withPlainNames(document: Document): Document {
  const { schemas } = document.components;
  const used = new Set<string>();
  collect(document.paths, schemas, used);
  const plain = (name: string) => (name.endsWith("Input") && !used.has(name.slice(0, -5)) ? name.slice(0, -5) : name);
  const kept = Object.entries(schemas).filter(([name]) => used.has(name));
  const pruned = {
    ...document,
    components: { ...document.components, schemas: Object.fromEntries(kept.map(([name, schema]) => [plain(name), schema])) },
  };
  const renamed = (name: string, value: unknown) => (name === "$ref" && typeof value === "string" ? value.replace(/[^/]+$/, plain) : value);
  return JSON.parse(JSON.stringify(pruned, renamed)) as Document;
}

function collect(part: unknown, schemas: Record<string, unknown>, used: Set<string>): void {
  if (typeof part !== "object" || part === null) return;
  for (const [name, value] of Object.entries(part)) {
    if (name !== "$ref" || typeof value !== "string") collect(value, schemas, used);
    else {
      const target = value.slice(value.lastIndexOf("/") + 1);
      if (used.has(target)) continue;
      used.add(target);
      collect(schemas[target], schemas, used);
    }
  }
}
