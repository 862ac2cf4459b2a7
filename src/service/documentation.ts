// The API's description at /api/v1/openapi.json and .yaml, and a page to read it at /docs that needs no other site.
import type { FastifyInstance } from "fastify";
import { apiPrefix } from "./operations/operation.ts";

const json = "application/json; charset=utf-8";
const yaml = "application/yaml; charset=utf-8";

/** Adds the documents and the page. Each is made when it is first asked for: most services never are. */
export function addDocumentation(app: FastifyInstance, version: string): void {
  let made: Promise<string> | undefined;
  const openapi = () => (made ??= import("./openapi/document.ts").then(({ describeService }) => JSON.stringify(describeService(version))));
  const asyncapi = async () => JSON.stringify((await import("./asyncapi.ts")).describeSockets(version));
  for (const [name, describe] of Object.entries({ openapi, asyncapi })) {
    app.get(`${apiPrefix}/${name}.json`, async (_request, reply) => reply.type(json).send(await describe()));
    app.get(`${apiPrefix}/${name}.yaml`, async (_request, reply) => {
      const { stringify } = await import("yaml");
      return reply.type(yaml).send(stringify(JSON.parse(await describe())));
    });
  }
  let page: Promise<FastifyInstance> | undefined;
  for (const path of ["/docs", "/docs/*"]) {
    app.get(path, async (request, reply) => {
      page ??= import("./documentation-page.ts").then(async ({ makePage }) => makePage(await openapi()));
      const { method, url, headers } = request;
      const answer = await (await page).inject({ method: method as "GET" | "HEAD", url, headers });
      if (answer.statusCode === 404) return reply.callNotFound();
      return reply.code(answer.statusCode).headers(answer.headers).send(answer.rawPayload);
    });
  }
}
