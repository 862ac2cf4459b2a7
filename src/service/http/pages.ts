// The claim page, the explanations of problem types and the liveness check.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { ProblemError, problemKinds, type ProblemKind } from "./problem.ts";

const csp =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
const claimFiles = {
  "/claim": { name: "index.html", type: "text/html; charset=utf-8" },
  "/claim/claim.css": { name: "claim.css", type: "text/css; charset=utf-8" },
  "/claim/claim.js": { name: "claim.js", type: "text/javascript; charset=utf-8" },
} as const;

/** Adds the pages. The files of the claim page are read from `claimFolder` once. */
export async function addClaimPage(app: FastifyInstance, claimFolder: string): Promise<void> {
  for (const [url, { name, type }] of Object.entries(claimFiles)) {
    const content = await readFile(join(claimFolder, name));
    app.get(url, async (_request, reply) =>
      reply.type(type).headers({ "Content-Security-Policy": csp, "Cache-Control": "no-cache" }).send(content),
    );
  }
  app.get("/healthz", async (_request, reply) =>
    reply
      .type("application/json")
      .header("Cache-Control", "no-store")
      .send(JSON.stringify({ status: "ok" })),
  );
  app.get<{ Params: { kind: string } }>("/problems/:kind", async (request, reply) => {
    const { kind } = request.params;
    if (!isKind(kind)) throw new ProblemError("not-found", "There is no such problem type");
    const { status, title } = problemKinds[kind];
    return reply.type("text/plain; charset=utf-8").send(`${kind}\n\n${title} (HTTP ${status}).\nThe problem's detail says what to do.\n`);
  });
}

function isKind(kind: string): kind is ProblemKind {
  return Object.hasOwn(problemKinds, kind);
}
