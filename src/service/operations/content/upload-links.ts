// Upload links: leave to send one file without a token, for a while, given by somebody who may.
import type { IncomingMessage } from "node:http";
import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { CreatedUploadLink, NewUploadLink, UploadLink, UploadReceipt } from "../../../protocol/content/upload-links.ts";
import { id } from "../../../protocol/common.ts";
import { reauthorize } from "../../people/authentication.ts";
import { hashSecret, randomText } from "../../people/token-secrets.ts";
import { examineFile, insertAsset } from "../../content/asset-creation.ts";
import { tooLarge } from "../../content/blobs.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Db } from "../../store/store.ts";
import type { UploadLinkRow } from "../../store/tables.ts";
import { change, found, NoContent, operation, type Operation, type OperatorContext, type Parts } from "../operation.ts";

const params = z.strictObject({ id: id("ulk") });
const maxOpen = 100;
const keyLength = 40;

export const uploadLinkOperations: readonly Operation[] = [
  operation({
    name: "createUploadLink",
    tag: "upload links",
    method: "POST",
    path: "/upload-links",
    summary: "Create a link to send one file by",
    description:
      "Answers an address to which anybody may PUT one file without a token, once, before `expires_at`. It ends with the token that made it. The file becomes an asset of the team; a file that is refused, or breaks off, does not use the link up.",
    agent:
      "Use it for a file that is larger than create_asset takes: give the address to whoever has the file, or send it yourself by HTTP (`curl -T FILE 'URL'`); get_upload_link tells the asset then.",
    caller: "operator",
    scope: "assets:write",
    body: NewUploadLink,
    example: { name: "Summer menu.mp4", lasts_s: 900 },
    status: 201,
    output: CreatedUploadLink,
    errors: ["invalid", "too-many"],
    version: ({ url: _url, ...link }) => link,
    async run(context, { body, raw }) {
      const { parts, teamId, tokenId, operator } = context;
      const key = randomText(keyLength);
      return change(context, async (db) => {
        const now = Math.trunc(parts.clock.now());
        await checkOpen(db, teamId, now);
        const row: UploadLinkRow = {
          id: parts.makeId("ulk"),
          team_id: teamId,
          token_id: tokenId,
          user_id: operator.userId,
          hash: hashSecret(key),
          name: body.name,
          most_bytes: Math.min(body.most_bytes ?? parts.maxAssetBytes, parts.maxAssetBytes),
          created_at: now,
          expires_at: Math.min(now + body.lasts_s * 1_000, operator.expiresAt ?? Number.POSITIVE_INFINITY),
          asset_id: null,
        };
        await db.insertInto("upload_links").values(row).execute();
        return { result: { ...show(row), url: `${baseOf(parts, raw)}/api/v1/upload-links/${row.id}/file?key=${key}` } };
      });
    },
  }),
  operation({
    name: "getUploadLink",
    tag: "upload links",
    method: "GET",
    path: "/upload-links/{id}",
    summary: "Read what became of an upload link",
    description: "`asset_id` is what the file became. Links are forgotten a day after their end.",
    caller: "operator",
    scope: "assets:read",
    params,
    status: 200,
    output: UploadLink,
    errors: ["not-found"],
    run: async (context, input) => show(await find(context, input.params.id)),
  }),
  operation({
    name: "deleteUploadLink",
    tag: "upload links",
    method: "DELETE",
    path: "/upload-links/{id}",
    summary: "Call an upload link off",
    description: "It is good no longer. What came by it stays.",
    caller: "operator",
    scope: "assets:write",
    params,
    status: 204,
    output: NoContent,
    errors: ["not-found"],
    async run(context, input) {
      await change(context, async (db) => {
        const row = await find(context, input.params.id, db);
        await db.deleteFrom("upload_links").where("id", "=", row.id).execute();
        return { result: undefined };
      });
    },
  }),
  operation({
    name: "sendByUploadLink",
    tag: "upload links",
    method: "PUT",
    path: "/upload-links/{id}/file",
    summary: "Send a file by an upload link",
    description:
      "The body is the file, as it is. The `key` in the address is all that is wanted; its bytes decide the file's type, as with `POST /assets`.",
    caller: "anyone",
    params,
    query: z.strictObject({ key: z.string().max(200).describe("As the link has it") }),
    stream: true,
    status: 201,
    output: UploadReceipt,
    errors: ["not-found", "gone", "in-flight", "bad-file", "too-large"],
    async run(context, { params: given, query, raw }) {
      const { parts, address, requestId, header } = context;
      const { store, blobs, clock } = parts;
      const row = await openLink(parts, store.db, given.id, query.key);
      if (Number(header("content-length") ?? 0) > row.most_bytes) throw tooLarge(row.most_bytes);
      using _turn = takeTurn(parts, row.id);
      await using bytes = await blobs.receive(raw, row.most_bytes);
      await using examined = await examineFile(parts, bytes.path, header("content-type"), row.team_id);
      const asset = await store.write(async (db) => {
        // It may have been used or called off, or its maker's token ended, while the bytes came.
        await openLink(parts, db, given.id, query.key);
        const made = await insertAsset(parts, db, { teamId: row.team_id, name: row.name }, bytes, examined);
        await db.updateTable("upload_links").set({ asset_id: made.id }).where("id", "=", row.id).execute();
        const { team_id: teamId, user_id: userId, token_id: tokenId } = row;
        const deed = { action: "sendByUploadLink", resourceType: "upload links", resourceId: made.id, before: null, after: null };
        await parts.audit.append(db, { teamId, userId, tokenId, ...deed, address, requestId });
        return made;
      });
      parts.thumbnails.wake();
      parts.log.info({ asset_id: asset.id, link_id: row.id, at: clock.now() }, "a file came by an upload link");
      const { media, converted } = examined;
      const { sizeBytes: size_bytes, sha256 } = converted ?? bytes;
      return { asset_id: asset.id, kind: media.kind, mime_type: media.mimeType, size_bytes, sha256 };
    },
  }),
];

// One file at a time by each link, and two at once are one too many.
const underWay = new WeakMap<object, Set<string>>();

/** @throws Refusal 409 while another request sends a file by this link. */
function takeTurn({ uploads }: Parts, linkId: string): Disposable {
  const taken = underWay.get(uploads) ?? new Set();
  underWay.set(uploads, taken);
  if (taken.has(linkId)) throw new ProblemError("in-flight", "A file is being sent by this link at this moment");
  taken.add(linkId);
  return { [Symbol.dispose]: () => void taken.delete(linkId) };
}

/** The link, if it is good. @throws Refusal 404 for a wrong key; 410 when it was used, has expired, or its maker may no longer. */
async function openLink({ clock }: Parts, db: Db, linkId: string, key: string): Promise<UploadLinkRow> {
  const row = await db.selectFrom("upload_links").selectAll().where("id", "=", linkId).executeTakeFirst();
  if (row === undefined || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hashSecret(key)))) {
    throw new ProblemError("not-found", "There is no such upload link");
  }
  if (row.asset_id !== null) throw new ProblemError("gone", "The link was used already: ask for another one");
  if (row.expires_at <= clock.now()) throw new ProblemError("gone", "The link has expired: ask for another one");
  const maker = { tokenId: row.token_id, teamId: row.team_id, userId: row.user_id, role: "viewer", scopes: [], expiresAt: null } as const;
  try {
    await reauthorize(db, clock, maker, "assets:write");
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw new ProblemError("gone", "The link is good no longer: who made it may not send files any more", { cause: error });
  }
  return row;
}

async function find({ parts, teamId }: OperatorContext, linkId: string, db: Db = parts.store.db): Promise<UploadLinkRow> {
  const rows = db.selectFrom("upload_links").selectAll().where("team_id", "=", teamId).where("id", "=", linkId);
  return found(await rows.executeTakeFirst(), "upload link");
}

/** @throws Refusal 429 when the team has too many links that wait for a file. */
async function checkOpen(db: Db, teamId: string, now: number): Promise<void> {
  const open = db.selectFrom("upload_links").select("id").where("team_id", "=", teamId).where("asset_id", "is", null);
  const rows = await open.where("expires_at", ">", now).limit(maxOpen).execute();
  if (rows.length < maxOpen) return;
  const headers = { "Retry-After": "60" };
  throw new ProblemError("too-many", `The team has ${maxOpen} links that wait for a file: call some off, or wait for their end`, {
    headers,
  });
}

function show(row: UploadLinkRow): UploadLink {
  return {
    id: row.id,
    name: row.name,
    most_bytes: row.most_bytes,
    asset_id: row.asset_id,
    created_at: new Date(row.created_at).toISOString(),
    expires_at: new Date(row.expires_at).toISOString(),
  };
}

/** Where the caller reaches the service: by the public address, else by the one that they called. */
function baseOf({ publicUrl }: Parts, { headers, socket }: IncomingMessage): string {
  if (publicUrl !== null) return new URL(publicUrl).origin;
  return `${"encrypted" in socket ? "https" : "http"}://${headers.host ?? "localhost"}`;
}
