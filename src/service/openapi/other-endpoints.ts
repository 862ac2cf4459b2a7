// Describes the endpoints that are no operations: WebSockets, descriptions, health checks and metrics.
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

// A request without an upgrade gets 404.
const upgradeAnswers = {
  101: { description: "The connection is a WebSocket now", headers: headerReferences(["Request-Id"]) },
  400: { $ref: "#/components/responses/BadRequest" },
  404: { $ref: "#/components/responses/NotFound" },
  "5XX": { $ref: "#/components/responses/InternalOrClosing" },
};

/** Paths besides those of the operations. OpenAPI can only describe a WebSocket's upgrade, whose success is 101. */
export const otherEndpoints: Readonly<Record<string, Record<string, DescribedOperation>>> = {
  "/api/v1/device/ws": {
    get: {
      operationId: "openDeviceSocket",
      tags: ["device"],
      summary: "Open a player's socket",
      description: `A WebSocket, subprotocol \`${deviceSubprotocol}\`: JSON messages of at most 64 KiB. The device sends \`hello\`, the service responds with \`welcome\`. Then the device sends heartbeats, and the service sends hints and signed commands. Close codes after the upgrade: 4401 invalid token, 4403 player removed, 4409 replaced by a newer socket, 4410 another device with the same identity is connected (recognized by the parameter \`instance\`, the \`instance_id\` of the heartbeat): poll, 1012 service restarting.`,
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
      "Check whether the service responds",
      "Does not check the databases: see getReadiness.",
      "application/json",
      undefined,
    ),
  },
  "/readyz": {
    get: page(
      "getReadiness",
      "Check whether the service can handle requests",
      "503 while it is stopping, or if a database does not respond within 2 s. One of several nodes also names what is worth looking at: `messages` that are away, `clock_ahead_seconds` if its machine's clock is more than 2 s off, and `held_back_by`, the open transactions whose announcements it waits for (which ones: to readers on its own machine).",
      "application/json",
      undefined,
    ),
  },
  "/metrics": {
    get: {
      ...page(
        "getMetrics",
        "Read the service's metrics in the Prometheus text format",
        "Needs no token on the service's own machine. From elsewhere it needs a token with the scope `teams:read`, unless the service was started with `--metrics-public`.",
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
        "Read what a problem type means",
        "The `type` of a problem links here.",
        "text/plain",
        "not-found\n\nNot found (HTTP 404).",
      ),
      parameters: [{ name: "kind", in: "path", required: true, schema: { type: "string" }, example: "not-found" }],
    },
  },
};
