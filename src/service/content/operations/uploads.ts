// Resumable uploads with the tus protocol, and the status of each upload.
import { z } from "zod";
import { id } from "../../../protocol/common.ts";
import { Upload } from "../../../protocol/content/assets.ts";
import type { TusServer } from "../uploads/tus.ts";
import type { Uploads } from "../uploads/uploads.ts";
import { ProblemError } from "../../http/problem.ts";
import type { UploadRow } from "../../store/tables/content.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import { JsonResponse } from "../../operations/responses.ts";

interface UploadDependencies {
  uploads: Uploads;
}

const params = z.strictObject({ id: id("upl") });
const path = "/api/v1/uploads";
const common = { tag: "uploads", caller: "operator", scope: "assets:write", stream: true, output: NoContent } as const;
const version = { "Tus-Resumable": "`1.0.0`; required" };
const resumable = { "Tus-Resumable": "1.0.0" };

const operation = operationsWith<UploadDependencies>();

export const uploadOperations: readonly Operation<UploadDependencies>[] = [
  operation({
    name: "describeUploads",
    tag: "uploads",
    caller: "anyone",
    method: "OPTIONS",
    path: "/uploads",
    summary: "Read the supported tus version",
    description: "Responds with `Tus-Version`, `Tus-Extension` and `Tus-Max-Size` in bytes.",
    stream: true,
    status: 204,
    output: NoContent,
    errors: [],
    run: ({ uploads }, _context, { raw }) => handle(uploads, async (tus) => tus.handle(raw, "")),
  }),
  operation({
    ...common,
    name: "createUpload",
    method: "POST",
    path: "/uploads",
    summary: "Begin a resumable upload",
    description:
      "tus 1.0 with the extensions creation, creation-with-upload, creation-defer-length, termination and expiration; any tus client works. `Upload-Metadata` accepts `filename`, `filetype` and `duplicate`: with `reuse` an upload with the bytes of an asset of the team becomes that asset. The URL of the upload is in `Location`; send its bytes with PATCH. An incomplete upload is kept for a day after its last bytes.",
    status: 201,
    errors: ["bad-file", "bad-request", "invalid", "too-large", "too-many", "tus-version"],
    headers: {
      ...version,
      "Upload-Length": "The size of the whole file in bytes",
      "Upload-Defer-Length": "`1` if the size is not known yet",
      "Upload-Metadata": "`filename`, `filetype` and `duplicate`, with Base64 values",
    },
    run: ({ uploads }, { teamId }, { raw }) => handle(uploads, async (tus) => tus.handle(raw, teamId)),
  }),
  operation({
    ...common,
    name: "headUpload",
    method: "HEAD",
    path: "/uploads/{id}",
    summary: "Read the offset of an upload",
    description: "`Upload-Offset` is where to continue. When the upload is complete, `Asset-Id` is the asset's id.",
    params,
    status: 200,
    errors: ["not-found", "gone", "tus-version"],
    headers: version,
    async run(dependencies, context, { params: given, raw }) {
      const row = await finished(dependencies, context, given.id);
      if (row.error !== null || row.asset_id !== null) return new JsonResponse(200, undefined, endOf(row));
      return handle(dependencies.uploads, async (tus) => tus.handle(raw, context.teamId));
    },
  }),
  operation({
    ...common,
    name: "appendUpload",
    method: "PATCH",
    path: "/uploads/{id}",
    summary: "Send bytes of an upload",
    description:
      "The body continues at `Upload-Offset`, which must be the upload's current offset. The response to the last bytes has the asset's id in `Asset-Id`, and `Asset-Duplicate: true` if the asset existed before (`duplicate: reuse`); a file that cannot be shown is rejected then.",
    params,
    status: 204,
    errors: ["bad-file", "bad-request", "not-found", "gone", "in-flight", "wrong-offset", "tus-version", "too-large"],
    headers: { ...version, "Upload-Offset": "The offset of the body; required" },
    async run(dependencies, context, { params: given, raw }) {
      const { teamId, header } = context;
      const row = await finished(dependencies, context, given.id);
      if (row.error !== null) throw refusalOf(row);
      if (row.asset_id !== null) {
        if (header("upload-offset") === String(row.size_bytes)) return new JsonResponse(204, undefined, endOf(row));
        throw new ProblemError("wrong-offset", "The upload is finished", { headers: resumable });
      }
      return handle(dependencies.uploads, async (tus) => {
        const done = await tus.handle(raw, teamId);
        const now = await dependencies.uploads.row(given.id);
        if (now === undefined) return done;
        const until = await dependencies.uploads.extend(now.id, now.size_bytes);
        return { ...done, headers: { ...done.headers, "Upload-Expires": new Date(until).toUTCString() } };
      });
    },
  }),
  operation({
    ...common,
    name: "deleteUpload",
    method: "DELETE",
    path: "/uploads/{id}",
    summary: "Cancel an upload",
    description: "Deletes its bytes. An asset that it has become stays.",
    params,
    status: 204,
    errors: ["not-found", "gone", "tus-version"],
    headers: version,
    async run({ uploads }, { teamId }, { params: given, raw }) {
      const row = await uploads.find(teamId, given.id);
      if (row.asset_id === null && row.error === null) return handle(uploads, async (tus) => tus.handle(raw, teamId));
      await uploads.remove(row.id);
      return new JsonResponse(204, undefined, resumable);
    },
  }),
  operation({
    ...common,
    name: "getUpload",
    method: "GET",
    path: "/uploads/{id}",
    summary: "Read the status of an upload",
    description: "Also after its end: `asset_id` is the resulting asset, `error` says why it was rejected.",
    params,
    status: 200,
    output: Upload,
    errors: ["not-found", "gone"],
    run: async (dependencies, context, { params: given }) => dependencies.uploads.show(await finished(dependencies, context, given.id)),
  }),
];

/** The upload. If all its bytes have arrived, it is finished first: it becomes an asset or is rejected. */
async function finished({ uploads }: UploadDependencies, { teamId }: OperatorContext, uploadId: string): Promise<UploadRow> {
  const row = await uploads.find(teamId, uploadId);
  if (row.asset_id !== null || row.error !== null || (await uploads.offsetOf(row)) !== row.size_bytes) return row;
  await uploads.finish(row.id).catch((error: unknown) => {
    // A rejected file is recorded in the row; any other error is internal.
    if (!(error instanceof ProblemError)) throw error;
  });
  return uploads.find(teamId, uploadId);
}

// The tus servers by store of uploads. The library loads slowly, so it is loaded with the first upload.
const tusServers = new WeakMap<Uploads, Promise<TusServer>>();

async function handle(
  uploads: Uploads,
  handler: (tus: TusServer) => Promise<{ status: number; headers: Record<string, string> }>,
): Promise<JsonResponse> {
  const loading = tusServers.get(uploads) ?? import("../uploads/tus.ts").then((module) => new module.TusServer(uploads, path));
  tusServers.set(uploads, loading);
  const { status, headers } = await handler(await loading);
  return new JsonResponse(status, undefined, headers);
}

function endOf(row: UploadRow): Record<string, string> {
  const size = String(row.size_bytes ?? 0);
  return { ...resumable, "Upload-Offset": size, "Upload-Length": size, ...(row.asset_id === null ? {} : { "Asset-Id": row.asset_id }) };
}

function refusalOf(row: UploadRow): ProblemError {
  const detail = (JSON.parse(row.error!) as { detail: string }).detail;
  return new ProblemError("bad-file", detail, { errors: [{ pointer: "", detail }], headers: resumable });
}
