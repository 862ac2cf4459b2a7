// The explanations of problem types and the liveness check.
import type { FastifyInstance } from "fastify";
import { ProblemError, problemKinds, type ProblemKind } from "../problem.ts";

/** Adds the pages. */
export function addPages(app: FastifyInstance): void {
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
