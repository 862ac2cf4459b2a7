// Upload links: URLs that accept one file without a token, for a limited time.
import type { FileDependencies } from "../assets/file-dependencies.ts";
import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { iso } from "../../../base/time.ts";
import { id } from "../../../protocol/common.ts";
import { CreatedUploadLink, NewUploadLink, UploadLink, UploadReceipt } from "../../../protocol/content/upload-links.ts";
import { examineFile, insertAsset, prepareFile } from "../assets/creation.ts";
import { tooLarge } from "../blobs/blob-store.ts";
import { found, ProblemError } from "../../http/problem.ts";
import type { AuditLog } from "../../people/audit.ts";
import { reauthorize } from "../../people/authentication.ts";
import { hashSecret, randomText } from "../../people/token-secrets.ts";
import type { Db } from "../../store/store.ts";
import type { UploadLinkRow } from "../../store/tables/content.ts";
import { deleteTeamRow, findTeamRow, insertTeamRow, updateTeamRow } from "../../store/tables/team-rows.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import { findUploadLink, hasOpenUploadLinks } from "../store.ts";

interface UploadLinkDependencies extends FileDependencies {
  audit: AuditLog;
}

const params = z.strictObject({ id: id("ulk") });
const maxOpen = 100;
const keyLength = 40;

const operation = operationsWith<UploadLinkDependencies>();

export const uploadLinkOperations: readonly Operation<UploadLinkDependencies>[] = [
  operation({
    name: "createUploadLink",
    tag: "upload links",
    method: "POST",
    path: "/upload-links",
    summary: "Create a link for uploading one file",
    description:
      "Returns a URL to which anyone may PUT one file without a token, once, before `expires_at`. The link ends with the token that created it. The file becomes an asset of the team; a rejected or interrupted upload does not use up the link.",
    agent:
      "Use it for a file that is too large for create_asset: give the URL to the person who has the file, or upload it yourself (`curl -T FILE 'URL'`); then get_upload_link returns the asset's id.",
    caller: "operator",
    scope: "assets:write",
    body: NewUploadLink,
    example: { name: "Summer menu.mp4", lasts_s: 900 },
    status: 201,
    output: CreatedUploadLink,
    errors: ["invalid", "too-many"],
    version: ({ url: _url, ...link }) => link,
    async run(dependencies, { teamId, tokenId, operator, baseUrl }, { body }, unitOfWork) {
      if (baseUrl === null)
        throw new ProblemError("bad-request", "The Host header must be a host name or an IP address, with an optional port");
      const key = randomText(keyLength);
      return unitOfWork.write(async (db) => {
        const now = Math.trunc(dependencies.clock.now());
        await checkOpen(db, teamId, now);
        const row: UploadLinkRow = {
          id: dependencies.makeId("ulk"),
          team_id: teamId,
          token_id: tokenId,
          user_id: operator.userId,
          hash: hashSecret(key),
          name: body.name,
          most_bytes: Math.min(body.most_bytes ?? dependencies.maxAssetBytes, dependencies.maxAssetBytes),
          created_at: now,
          expires_at: Math.min(now + body.lasts_s * 1_000, operator.expiresAt ?? Number.POSITIVE_INFINITY),
          asset_id: null,
        };
        await insertTeamRow(db, "upload_links", row);
        return { result: { ...show(row), url: `${baseUrl}/api/v1/upload-links/${row.id}/file?key=${key}` } };
      });
    },
  }),
  operation({
    name: "getUploadLink",
    tag: "upload links",
    method: "GET",
    path: "/upload-links/{id}",
    summary: "Read the status of an upload link",
    description: "`asset_id` is the asset that the file became. Links are deleted a day after they expire.",
    caller: "operator",
    scope: "assets:read",
    params,
    status: 200,
    output: UploadLink,
    errors: ["not-found"],
    run: async (dependencies, context, input) => show(await find(dependencies, context, input.params.id)),
  }),
  operation({
    name: "deleteUploadLink",
    tag: "upload links",
    method: "DELETE",
    path: "/upload-links/{id}",
    summary: "Cancel an upload link",
    description: "The link stops working. A file that was uploaded with it stays.",
    caller: "operator",
    scope: "assets:write",
    params,
    status: 204,
    output: NoContent,
    errors: ["not-found"],
    async run(dependencies, context, input, unitOfWork) {
      await unitOfWork.write(async (db) => {
        const row = await find(dependencies, context, input.params.id, db);
        await deleteTeamRow(db, "upload_links", row.id);
        return { result: undefined };
      });
    },
  }),
  operation({
    name: "sendByUploadLink",
    tag: "upload links",
    method: "PUT",
    path: "/upload-links/{id}/file",
    summary: "Upload a file with an upload link",
    description:
      "The body is the raw file. The `key` in the URL replaces a token. The file's type is detected from its bytes, as in `POST /assets`.",
    caller: "anyone",
    params,
    query: z.strictObject({ key: z.string().max(200).describe("The key in the link's URL") }),
    stream: true,
    status: 201,
    output: UploadReceipt,
    errors: ["not-found", "gone", "in-flight", "bad-file", "too-large"],
    async run(dependencies, { address, requestId, header, trust }, { params: given, query, raw }) {
      const { blobs, clock, store } = dependencies;
      const row = await openLink(dependencies, store.db, given.id, query.key);
      trust();
      if (Number(header("content-length") ?? 0) > row.most_bytes) throw tooLarge(row.most_bytes);
      using _turn = takeTurn(dependencies, row.id);
      await using bytes = await blobs.receive(raw, row.most_bytes);
      await using examined = await examineFile(dependencies, bytes.path, header("content-type"), row.team_id);
      await prepareFile(blobs, bytes, examined);
      const created = await store.write(async (db) => {
        // While the bytes arrived, the link may have been used or cancelled, or its creator's token may have ended.
        await openLink(dependencies, db, given.id, query.key);
        const asset = await insertAsset(dependencies, db, { teamId: row.team_id, name: row.name }, bytes, examined);
        await updateTeamRow(db, "upload_links", row.id, { asset_id: asset.id });
        const { team_id: teamId, user_id: userId, token_id: tokenId } = row;
        const write = { action: "sendByUploadLink", resourceType: "upload links", resourceId: asset.id, before: null, after: null };
        await dependencies.audit.append(db, { teamId, userId, tokenId, ...write, address, requestId });
        return asset;
      });
      dependencies.thumbnails.wake();
      dependencies.log.info({ asset_id: created.id, link_id: row.id, at: clock.now() }, "file received through an upload link");
      const { media, converted } = examined;
      const { sizeBytes: size_bytes, sha256 } = converted ?? bytes;
      return { asset_id: created.id, kind: media.kind, mime_type: media.mimeType, size_bytes, sha256 };
    },
  }),
];

// The links with an upload in progress, by store: each link accepts one upload at a time.
const activeLinks = new WeakMap<object, Set<string>>();

/** @throws ProblemError 409 while another request uploads a file with this link. */
function takeTurn({ store }: UploadLinkDependencies, linkId: string): Disposable {
  const taken = activeLinks.get(store) ?? new Set();
  activeLinks.set(store, taken);
  if (taken.has(linkId)) throw new ProblemError("in-flight", "Another upload with this link is in progress");
  taken.add(linkId);
  return { [Symbol.dispose]: () => void taken.delete(linkId) };
}

/** The link, if it is valid. @throws ProblemError 404 for a wrong key; 410 if it was used, expired, or its creator lost access. */
async function openLink({ clock }: UploadLinkDependencies, db: Db, linkId: string, key: string): Promise<UploadLinkRow> {
  const row = await findUploadLink(db, linkId);
  if (row === undefined || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hashSecret(key)))) {
    throw new ProblemError("not-found", "There is no such upload link");
  }
  if (row.asset_id !== null) throw new ProblemError("gone", "The link has already been used: ask for a new one");
  if (row.expires_at <= clock.now()) throw new ProblemError("gone", "The link has expired: ask for a new one");
  const creator = {
    isSession: false,
    provedAt: null,
    tokenId: row.token_id,
    teamId: row.team_id,
    userId: row.user_id,
    role: "viewer",
    scopes: [],
    expiresAt: null,
  } as const;
  try {
    await reauthorize(db, clock, creator, "assets:write");
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw new ProblemError("gone", "The link is no longer valid: its creator may no longer upload files", { cause: error });
  }
  return row;
}

async function find(
  { store }: UploadLinkDependencies,
  { teamId }: OperatorContext,
  linkId: string,
  db: Db = store.db,
): Promise<UploadLinkRow> {
  return found(await findTeamRow(db, "upload_links", teamId, linkId), "upload link");
}

/** @throws ProblemError 429 if the team has too many unused links. */
async function checkOpen(db: Db, teamId: string, now: number): Promise<void> {
  if (!(await hasOpenUploadLinks(db, teamId, maxOpen, now))) return;
  const headers = { "Retry-After": "60" };
  throw new ProblemError("too-many", `The team has ${maxOpen} unused links: cancel some, or wait until they expire`, { headers });
}

function show(row: UploadLinkRow): UploadLink {
  return {
    id: row.id,
    name: row.name,
    most_bytes: row.most_bytes,
    asset_id: row.asset_id,
    created_at: iso(row.created_at),
    expires_at: iso(row.expires_at),
  };
}
