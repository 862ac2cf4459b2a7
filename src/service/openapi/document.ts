// Generates the API's description (OpenAPI 3.1) from the table of operations.
import { z } from "zod";
import { Proposed } from "../../protocol/operator/publishing.ts";
import { Problem } from "../../protocol/operator/resources.ts";
import { queryOf } from "../http/dry-run.ts";
import { operations, tags } from "../operations/operations.ts";
import { apiPrefix, draftHeader, keepsContent, type Operation } from "../operations/operation.ts";
import { responseHeaders, headerReferences, isRepeatable, problemsOf, ProblemResponses, successHeaders } from "./responses.ts";
import { otherEndpoints } from "./other-endpoints.ts";
import { pascalCase, type DescribedOperation, type Document, type Json, type Schema } from "./json.ts";
import { shareParameters } from "./parameters.ts";
import { sampleOf } from "./samples.ts";
import { Schemas } from "./schemas.ts";
import { describeWebhooks } from "./webhooks.ts";

const device = "device";

/**
 * The API description.
 * @throws TypeError when an operation needs an example of its own, because none can be generated.
 */
export function describeService(version: string): Document {
  const schemas = new Schemas();
  const problems = new ProblemResponses();
  const problem = schemas.of(Problem, "output");
  const paths: Document["paths"] = {};
  for (const each of operations) {
    (paths[apiPrefix + each.path] ??= {})[each.method.toLowerCase()] = describe(each, schemas, problems);
  }
  for (const [path, methods] of Object.entries(otherEndpoints)) paths[path] = { ...paths[path], ...methods };
  problems.of(["bad-request", "not-found"]);
  const settled = schemas.resolve({ paths, problem, webhooks: describeWebhooks(schemas) });
  const parameters = shareParameters(settled.part.paths);
  nameLists(settled.part.paths, settled.components);
  addExamples(settled.part.paths, settled.components);
  return {
    openapi: "3.1.0",
    info: {
      title: "signage-player service",
      version,
      description: introduction,
      contact: { name: "The signage-player project" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The service that serves this description" }],
    // The device operations come last: people who use the API do not need them.
    tags: [
      ...tags.filter(({ name }) => name !== device),
      { name: "service", description: "Health, metrics and descriptions of the service" },
      ...tags.filter(({ name }) => name === device),
    ],
    paths: settled.part.paths,
    webhooks: settled.part.webhooks,
    components: {
      securitySchemes: {
        operator: {
          type: "http",
          scheme: "bearer",
          description: "An access token, `sgn_pat_…`. The first one is in the file admin-token of the service's data folder",
        },
        device: { type: "http", scheme: "bearer", description: "A device token, `sgn_dev_…`, valid for one hour" },
      },
      schemas: byKey(settled.components),
      responses: byKey(problems.components),
      parameters,
      headers: Object.fromEntries(Object.entries(responseHeaders).map(([name, header]) => [pascalCase(name), header])),
    },
  };
}

function describe(each: Operation, schemas: Schemas, problems: ProblemResponses): DescribedOperation {
  const scope = each.scope === undefined ? "" : `\n\nScope: \`${each.scope}\`.`;
  const parameters = [
    ...fields(each.params, "path", schemas),
    ...fields(queryOf(each), "query", schemas),
    ...Object.entries(headersOf(each)).map(([name, description]) => ({
      name,
      in: "header",
      required: description.endsWith("required"),
      description,
      schema: { type: "string" },
    })),
  ];
  return {
    operationId: each.name,
    tags: [each.tag],
    summary: each.summary,
    description: each.description + scope,
    security: each.caller === "anyone" ? [] : [{ [each.caller]: each.scope === undefined ? [] : [each.scope] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(each, schemas),
    responses: responsesOf(each, schemas, problems),
  };
}

function headersOf(each: Operation): Record<string, string> {
  return {
    ...each.headers,
    ...(isRepeatable(each)
      ? { "Idempotency-Key": "A repeat with the same key within 24 h gets the first response and is not run again" }
      : {}),
    ...(each.drafts === true
      ? { [draftHeader]: "The id of a draft: reads and changes content as it would be if the draft were published" }
      : {}),
    ...(each.current === undefined
      ? {}
      : { "If-Match": "The ETag of the version that you changed. If the resource has another version now, the response is 412" }),
  };
}

function fields(schema: z.ZodType | undefined, place: "path" | "query", schemas: Schemas): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.fieldsOf(schema, "input");
  return Object.entries(properties).map(([name, { description, ...field }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: field,
  }));
}

function bodyOf(each: Operation, schemas: Schemas): Pick<DescribedOperation, "requestBody"> {
  // The bodies of resumable uploads are described by the tus protocol.
  const isFile = each.bytes !== undefined || (each.stream === true && each.method === "PUT");
  // Any media type is accepted. With this one, generated clients send the bytes unchanged; with "*/*" they would send JSON.
  if (isFile) return { requestBody: { required: true, content: { "application/octet-stream": { schema: {} } } } };
  if (each.body === undefined) return {};
  const example = each.example === undefined ? {} : { example: each.example };
  const content = { "application/json": { schema: schemas.of(each.body, "input"), ...example } };
  return { requestBody: { required: !each.body.safeParse(undefined).success, content } };
}

function responsesOf(each: Operation, schemas: Schemas, problems: ProblemResponses): Record<string, Json> {
  const response = (status: number, description: string, content?: Json): Json => ({
    description,
    headers: headerReferences(successHeaders(each, status)),
    ...(content === undefined ? {} : { content }),
  });
  const types = each.file ?? (each.endless === undefined ? undefined : [each.endless]);
  const files = types && Object.fromEntries(types.map((type) => [type, { schema: {} }]));
  const texts = Object.fromEntries((each.texts ?? []).map((type) => [type, { schema: { type: "string" } }]));
  const example = each.outputExample === undefined ? {} : { example: each.outputExample };
  const json = () => ({ "application/json": { schema: schemas.of(each.output, "output"), ...example }, ...texts });
  const usual = files ?? (each.output instanceof z.ZodUndefined ? undefined : json());
  const problemResponses = problems.of(problemsOf(each));
  const others = Object.entries(othersOf(each)).map(([status, { description, schema }]) => {
    const problem = problemResponses[status] && problems.resolved(problemResponses[status]);
    const content = schema && { "application/json": { schema: schemas.of(schema, "output") } };
    const both = { ...(problem?.["content"] as Json | undefined), ...content };
    return [
      status,
      response(
        Number(status),
        problem === undefined ? description : `${description}; ${String(problem["description"])}`,
        Object.keys(both).length === 0 ? undefined : both,
      ),
    ];
  });
  const partial = files && {
    206: response(206, "The requested part of the file", files),
    304: response(304, "The file has the ETag of If-None-Match"),
    307: response(307, "The bytes are at `Location`, which needs no token and is valid for some minutes (`--s3-redirect`)"),
  };
  return {
    ...problems.of(problemsOf(each)),
    [each.status]: response(each.status, each.summary, usual),
    ...partial,
    ...Object.fromEntries(others),
  };
}

/** A contributor's write of content may become a proposal. */
function othersOf(each: Operation): NonNullable<Operation["others"]> {
  if (each.drafts !== true || keepsContent(each)) return each.others ?? {};
  const description = "Nothing is published: the team asks for an approval, and the change is a proposal now";
  const schema = each.output instanceof z.ZodObject ? each.output.extend(Proposed.shape) : Proposed;
  return { ...each.others, 202: { description, schema } };
}

/** Makes a component of each list schema, such as `PlayerList`, so that client generators have a name for its type. */
function nameLists(paths: Document["paths"], components: Record<string, Schema>): void {
  for (const described of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const content = described.responses["200"]?.["content"] as Record<string, { schema: Schema }> | undefined;
    const schema = content?.["application/json"]?.schema;
    const item = schema?.properties?.["next_cursor"] && schema.properties["data"]?.items?.$ref;
    if (schema === undefined || item === undefined) continue;
    const name = `${item.slice(item.lastIndexOf("/") + 1)}List`;
    if (JSON.stringify(components[name] ?? schema) !== JSON.stringify(schema)) continue;
    components[name] = schema;
    content!["application/json"]!.schema = { $ref: `#/components/schemas/${name}` };
  }
}

/** Gives every JSON request and response body an example: the operation's own, else a generated sample. */
function addExamples(paths: Document["paths"], components: Record<string, Schema>): void {
  const resolve = (reference: string) => components[reference.slice(reference.lastIndexOf("/") + 1)]!;
  for (const described of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const contents = Object.values(described.responses).map((response) => response["content"] as Json | undefined);
    for (const content of [described.requestBody?.content as Json | undefined, ...contents]) {
      const json = content?.["application/json"] as { schema: Schema; example?: unknown } | undefined;
      if (json !== undefined && Object.keys(json.schema).length > 0) json.example ??= sampleOf(json.schema, resolve);
    }
  }
}

function byKey<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Markdown, for OpenAPI's `info.description`. */
const introduction = `Put content on screens: pair a player, show something on it, see what it shows.

## First steps

1. **Get a token.** The first one, the owner's, is in the file \`admin-token\` of the service's data folder: \`~/.local/share/signage-player/service/admin-token\` after \`npm start\`, \`/var/lib/signage-service/admin-token\` as a system service. Send it as \`Authorization: Bearer …\`; on this page, press **Authorize** and paste it. Make narrower tokens for programs with [POST /tokens](#/tokens/createToken).
2. **Pair a player.** A new player shows a code: [POST /players/pair](#/players/pairPlayer) with \`{"code": "WDJB-MJHT", "name": "Lobby"}\`.
3. **Upload a picture.** [POST /assets](#/assets/createAsset) accepts the raw bytes and returns the asset's id.
4. **Show it.** [POST /show](#/shows/show) with \`{"asset_id": "ast_…", "everywhere": true, "until": null}\` puts it on your screens. For loops and several zones create a [playlist](#/playlists/createPlaylist) and a [layout](#/layouts/createLayout), and assign the layout to a player with [PATCH /players/{id}](#/players/updatePlayer) or to many with a [schedule](#/schedules/createSchedule).
5. **See it.** [POST /players/{id}/commands](#/commands/sendCommand) with \`{"type": "screenshot"}\`, then [GET /players/{id}/screenshots](#/screenshots/listScreenshots).

## Other interfaces

| interface | where |
|---|---|
| Agents | MCP at \`/mcp\`, with the same tokens |
| Events in real time | WebSocket at \`/api/v1/events\`, described by [asyncapi.json](/api/v1/asyncapi.json); without a WebSocket: [GET /events](#/events/listEvents) |
| Events sent to your server | [webhooks](#/webhooks/createWebhook), signed by Standard Webhooks |
| Programs | a typed client and examples in curl, TypeScript and Python in the folder \`sdk\` of the repository; any OpenAPI generator with [openapi.json](/api/v1/openapi.json) |

The operations tagged **device**, at the end, are for players. You need them only to write your own player.

## Conventions

Errors are RFC 9457 problems that name the field and what to do. Lists are \`{data, next_cursor}\`. Every POST accepts an \`Idempotency-Key\`, changes accept \`If-Match\`, and writes accept \`?dry_run=true\`. Times are RFC 3339 in UTC. Every response has a \`Request-Id\`. Invalid HTTP is rejected with 400, 408 or 431 before it reaches an operation.`;
