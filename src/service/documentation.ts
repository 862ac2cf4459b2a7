// The API's description at /api/v1/openapi.json and .yaml, and a page to read it at /docs that needs no other site.
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyInstance } from "fastify";
import { stringify } from "yaml";
import { describeSockets } from "./asyncapi.ts";
import { descriptionOptions } from "./openapi.ts";
import { apiPrefix } from "./rest.ts";

// The page's own scripts and pictures, and nothing from elsewhere. The style attributes are Swagger UI's.
const csp =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 40"><rect y="6" width="6" height="28" rx="3" fill="#ffb347"/>' +
  '<text x="18" y="28" font-family="sans-serif" font-size="24" font-weight="600" fill="#fff">signage-player</text></svg>';

/** To be called before the routes are added, which it then describes. */
export async function addDocumentation(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, descriptionOptions(version));
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    staticCSP: csp,
    uiConfig: { deepLinking: true, displayRequestDuration: true },
    theme: { title: "signage-player API" },
    logo: { type: "image/svg+xml", content: Buffer.from(logo) },
  });
  app.get(`${apiPrefix}/openapi.json`, { schema: { hide: true } }, async (_request, reply) => {
    return reply.type("application/json; charset=utf-8").send(JSON.stringify(app.swagger()));
  });
  app.get(`${apiPrefix}/openapi.yaml`, { schema: { hide: true } }, async (_request, reply) => {
    return reply.type("application/yaml; charset=utf-8").send(app.swagger({ yaml: true }));
  });
  const sockets = describeSockets(version);
  app.get(`${apiPrefix}/asyncapi.json`, { schema: { hide: true } }, async (_request, reply) => {
    return reply.type("application/json; charset=utf-8").send(JSON.stringify(sockets));
  });
  app.get(`${apiPrefix}/asyncapi.yaml`, { schema: { hide: true } }, async (_request, reply) => {
    return reply.type("application/yaml; charset=utf-8").send(stringify(sockets));
  });
}
