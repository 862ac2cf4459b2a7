// What is described but stands in no table of operations: the sockets, the description itself, signs of life.
import { deviceSubprotocol } from "../../protocol/device/messages.ts";
import { headerReferences } from "./responses.ts";
import type { DescribedOperation } from "./json.ts";

const page = (operationId: string, summary: string, description: string, type: string, example: unknown): DescribedOperation => ({
  operationId,
  tags: ["service"],
  summary,
  description,
  security: [],
  responses: {
    200: {
      description: summary,
      headers: headerReferences(["Request-Id"]),
      content: { [type]: { schema: example === undefined ? {} : schemaOf(example), ...(example === undefined ? {} : { example }) } },
    },
    "4XX": { $ref: "#/components/responses/NotFound" },
    "5XX": { $ref: "#/components/responses/InternalOrClosing" },
  },
});

function schemaOf(example: unknown): { type: string } {
  return { type: typeof example };
}

// A 404 is the answer to a request without an upgrade.
const upgradeAnswers = {
  101: { description: "The connection is a WebSocket now", headers: headerReferences(["Request-Id"]) },
  400: { $ref: "#/components/responses/BadRequest" },
  404: { $ref: "#/components/responses/NotFound" },
  "5XX": { $ref: "#/components/responses/InternalOrClosing" },
};

/** Paths beside those of the operations. A socket's upgrade is told as far as OpenAPI can: 101 is its success. */
export const elsewhere: Readonly<Record<string, Record<string, DescribedOperation>>> = {
  "/api/v1/device/ws": {
    get: {
      operationId: "openDeviceSocket",
      tags: ["device"],
      summary: "Open a player's socket",
      description: `A WebSocket, subprotocol \`${deviceSubprotocol}\`: JSON messages of at most 64 KiB. The device says \`hello\`, the service \`welcome\`; then heartbeats one way, hints and signed commands the other. A token that is not good is told after the upgrade by close code 4401, a removed player by 4403, a newer socket of the same player by 4409, a restart by 1012.`,
      security: [{ device: [] }],
      parameters: [
        { name: "Upgrade", in: "header", required: true, schema: { const: "websocket" }, example: "websocket" },
        { name: "Sec-WebSocket-Protocol", in: "header", required: true, schema: { type: "string" }, example: deviceSubprotocol },
      ],
      responses: {
        ...upgradeAnswers,
      },
    },
  },
  "/api/v1/asyncapi.json": {
    get: page("getSocketDescription", "Read the description of the sockets", "AsyncAPI 3.0.", "application/json", undefined),
  },
  "/api/v1/asyncapi.yaml": {
    get: page("getSocketDescriptionYaml", "Read the description of the sockets as YAML", "AsyncAPI 3.0.", "application/yaml", undefined),
  },
  "/api/v1/openapi.json": { get: page("getDescription", "Read this description", "OpenAPI 3.1.", "application/json", undefined) },
  "/api/v1/openapi.yaml": {
    get: page("getDescriptionYaml", "Read this description as YAML", "OpenAPI 3.1.", "application/yaml", undefined),
  },
  "/healthz": {
    get: page(
      "getHealth",
      "See whether the service answers",
      "It says nothing of the databases: see getReadiness.",
      "application/json",
      undefined,
    ),
  },
  "/readyz": {
    get: page(
      "getReadiness",
      "See whether the service takes work",
      "503 while it stops, or when a database does not answer within 2 s.",
      "application/json",
      undefined,
    ),
  },
  "/metrics": {
    get: {
      ...page(
        "getMetrics",
        "Read the service's metrics, in the text format of Prometheus",
        "Without a token on the machine of the service itself, elsewhere by a token with the scope `teams:read`, unless the service was started with `--metrics-public`.",
        "text/plain",
        "signage_players_connected 42",
      ),
      security: [{}, { operator: ["teams:read"] }],
    },
  },
  "/problems/{kind}": {
    get: {
      ...page(
        "getProblemKind",
        "Read what a kind of problem means",
        "Where the `type` of a problem leads.",
        "text/plain",
        "not-found\n\nThere is no such thing (HTTP 404).",
      ),
      parameters: [{ name: "kind", in: "path", required: true, schema: { type: "string" }, example: "not-found" }],
    },
  },
};
