// The documentation page (Swagger UI). Loaded when it is first opened.
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import Fastify, { type FastifyInstance } from "fastify";

// Allows only the page's own scripts and images. Swagger UI needs the inline styles.
const csp =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 40"><rect y="6" width="6" height="28" rx="3" fill="#ffb347"/>' +
  '<text x="18" y="28" font-family="sans-serif" font-size="24" font-weight="600" fill="#fff">signage-player</text></svg>';

/** The page and its files below /docs, a separate Fastify instance to call with `inject`: a running server accepts no plugins. */
export async function createDocumentationPage(description: string): Promise<FastifyInstance> {
  const page = Fastify({ logger: false });
  // Swagger UI requires this plugin.
  await page.register(swagger, { mode: "static", specification: { document: JSON.parse(description) } });
  await page.register(swaggerUi, {
    routePrefix: "/docs",
    staticCSP: csp,
    uiConfig: { deepLinking: true, displayRequestDuration: true },
    theme: { title: "signage-player API" },
    logo: { type: "image/svg+xml", content: Buffer.from(logo) },
  });
  await page.ready();
  return page;
}
