// Serves the API descriptions at /api/v1/openapi.json and asyncapi.json (and .yaml), and the documentation page at /docs.
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Document } from "./json.ts";
import { baseUrlOf } from "../http/origin.ts";
import { apiPrefix } from "../operations/operation.ts";

const json = "application/json; charset=utf-8";
const yaml = "application/yaml; charset=utf-8";

/** Adds the documents and the page. Each is generated on its first request, since most services never get one. */
export function addDocumentation(app: FastifyInstance, version: string, publicUrl: string | null): void {
  let document: Promise<Document> | undefined;
  const describe = () => (document ??= import("./document.ts").then(({ describeService }) => describeService(version)));
  const openapi = async (baseUrl: string | null) => {
    const { servers, ...rest } = await describe();
    return JSON.stringify({ ...rest, servers: baseUrl === null ? servers : [{ ...servers[0], url: baseUrl }] });
  };
  const asyncapi = async (baseUrl: string | null) => JSON.stringify((await import("./asyncapi.ts")).describeSockets(version, baseUrl));
  for (const [name, textFor] of Object.entries({ openapi, asyncapi })) {
    // Making YAML of it takes a third of a second, while nothing else is served.
    let newest = { text: "", yaml: "" };
    const text = (request: FastifyRequest) => textFor(baseUrlOf(request, publicUrl));
    app.get(`${apiPrefix}/${name}.json`, async (request, reply) => reply.type(json).send(await text(request)));
    app.get(`${apiPrefix}/${name}.yaml`, async (request, reply) => {
      const { stringify } = await import("yaml");
      const asJson = await text(request);
      if (newest.text !== asJson) newest = { text: asJson, yaml: stringify(JSON.parse(asJson)) };
      return reply.type(yaml).send(newest.yaml);
    });
  }
  let page: Promise<FastifyInstance> | undefined;
  for (const path of ["/docs", "/docs/*"]) {
    app.get(path, async (request, reply) => {
      page ??= import("./documentation-page.ts").then(async ({ createDocumentationPage }) => createDocumentationPage(await openapi(null)));
      const { method, url, headers } = request;
      const response = await (await page).inject({ method: method as "GET" | "HEAD", url, headers });
      if (response.statusCode === 404) return reply.callNotFound();
      return reply.code(response.statusCode).headers(response.headers).send(response.rawPayload);
    });
  }
}
