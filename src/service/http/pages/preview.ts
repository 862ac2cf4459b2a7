// Serves previews below /preview: the player's page for a sandboxed frame, and the files of one preview by its ticket.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import send from "@fastify/send";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { BlobStore } from "../../content/blobs/blob-store.ts";
import type { OpenTicket, PreviewFile, PreviewTickets } from "../../content/previews/preview-tickets.ts";
import { readShownContent, type ShownContentDependencies } from "../../content/previews/shown-content.ts";
import type { Db } from "../../store/store.ts";
import { FileResponse } from "../../operations/responses.ts";
import { CompressedFiles } from "./compressed-files.ts";
import { found, ProblemError } from "../problem.ts";
import { sendFile } from "../responses/file-response.ts";

interface PreviewDependencies extends ShownContentDependencies {
  blobs: BlobStore;
  previews: PreviewTickets;
}

type TicketParams = { secret: string };

// The page runs in an origin of its own, also when somebody opens its address directly, and only this service's pages may frame it. It
// loads nothing from elsewhere. `blob:` starts its workers, which load their scripts (renderer/player/items/worker.ts).
const pagePolicy =
  "sandbox allow-scripts; default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; style-src 'self'; " +
  "img-src 'self' data:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'self'";

// Every request of the page comes from its own origin, which has no name and no cookies. The ticket in the address is the permission.
const forAnyOrigin = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Accept-Ranges, Content-Encoding, Content-Length, Content-Range, ETag",
};
const forever = { "Cache-Control": "public, max-age=31536000, immutable" };
const preflight = {
  ...forAnyOrigin,
  "Access-Control-Allow-Methods": "GET, HEAD",
  "Access-Control-Allow-Headers": "Range, If-Range",
  "Access-Control-Max-Age": "86400",
};

/** @param folder of the player's built page. */
export async function addPreview(app: FastifyInstance, folder: string, dependencies: PreviewDependencies): Promise<void> {
  // All previews share the page's built files, which are public and have a hash in their names.
  const html = (await readFile(join(folder, "preview.html"), "utf8")).replaceAll('"./assets/', '"../page/assets/');
  const files = await CompressedFiles.open(join(folder, "assets"));
  app.register(async (scope) => {
    scope.addHook("onRequest", (_request, reply, done) => {
      reply.headers(forAnyOrigin);
      done();
    });
    scope.options("/preview/*", (_request, reply) => reply.code(204).headers(preflight).send());
    scope.get<{ Params: { "*": string } }>("/preview/page/assets/*", async ({ params, raw, headers }, reply) => {
      reply.headers({ "Content-Security-Policy": "sandbox", Vary: "Accept-Encoding" });
      const compressed = await files.find(params["*"], headers["accept-encoding"]);
      if (compressed !== null) {
        const { type, coding, bytes } = compressed;
        return reply.headers(forever).type(type).header("Content-Encoding", coding).send(bytes);
      }
      const file = await send(raw, `/assets/${params["*"]}`, { root: folder, dotfiles: "deny", cacheControl: false });
      if (file.type !== "file") throw new ProblemError("not-found", "The page has no such file");
      return reply
        .code(file.statusCode)
        .headers({ ...file.headers, ...forever })
        .send(file.stream);
    });
    scope.get<{ Params: TicketParams }>("/preview/:secret/preview.html", async (request, reply) => {
      await openTicket(dependencies, request);
      return reply
        .type("text/html; charset=utf-8")
        .headers({ "Content-Security-Policy": pagePolicy, "Cache-Control": "no-store", "X-Robots-Tag": "noindex" })
        .send(html);
    });
    scope.get<{ Params: TicketParams & { sha256: string } }>("/preview/:secret/media/:sha256", async (request, reply) => {
      const ticket = await openTicket(dependencies, request);
      const file = await coveredFile(dependencies, ticket, request.params.sha256);
      return sendShown(dependencies, file, request, reply);
    });
    scope.get<{ Params: TicketParams & { id: string } }>("/preview/:secret/captures/:id", async (request, reply) => {
      const { hasCaptures, subject, teamId } = await openTicket(dependencies, request);
      if (!hasCaptures) throw new ProblemError("not-found", "The preview has no screenshots");
      const { db } = dependencies.store;
      const row = await db
        .selectFrom("screenshots")
        .selectAll()
        .where("id", "=", request.params.id)
        .where("team_id", "=", teamId)
        .where("player_id", "=", subject.playerId!)
        .executeTakeFirst();
      return sendShown(dependencies, found(row, "screenshot"), request, reply);
    });
  });
}

/** @throws ProblemError 404 if the ticket in the address has expired. */
async function openTicket({ previews }: PreviewDependencies, request: FastifyRequest<{ Params: TicketParams }>): Promise<OpenTicket> {
  const ticket = await previews.bySecret(request.params.secret);
  if (ticket === undefined) throw new ProblemError("not-found", "The preview has expired: create another ticket");
  request.trust();
  return ticket;
}

/** @throws ProblemError 404 for a file that the preview does not show, or that must not be drawn. */
async function coveredFile(dependencies: PreviewDependencies, ticket: OpenTicket, sha256: string): Promise<PreviewFile> {
  const { previews, store } = dependencies;
  const { files, subject, teamId } = ticket;
  const draftId = files.get(sha256)?.draftId ?? null;
  if (draftId !== null && !(await isDraft(store.db, teamId, draftId))) files.delete(sha256);
  // The content has changed since it was read, or never was.
  if (!files.has(sha256)) await previews.cover(ticket, await readShownContent(dependencies, teamId, subject), null);
  return found(files.get(sha256), "file");
}

/** True if the draft still exists. */
async function isDraft(db: Db, teamId: string, id: string): Promise<boolean> {
  const row = await db.selectFrom("drafts").select("id").where("team_id", "=", teamId).where("id", "=", id).executeTakeFirst();
  return row !== undefined;
}

function sendShown({ blobs }: PreviewDependencies, file: PreviewFile, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return sendFile(blobs, new FileResponse(file), request, reply);
}
