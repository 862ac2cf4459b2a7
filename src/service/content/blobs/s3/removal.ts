// Deletes blobs by links that are signed before the check whether anything uses them, and that end soon.
import { DeleteObjectCommand } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { Fault } from "../../../../base/fault.ts";
import { inChunks } from "../../../store/chunks.ts";
import type { Removal } from "../blob-store.ts";
import type { Bucket } from "./bucket.ts";
import { blobKey } from "./config.ts";

/**
 * The time in which a node may delete the blobs that it has checked. Not longer than PostgreSQL waits for a silent transaction (pools.ts):
 * when it ends the one in which a paused node has checked, so that others may use the blobs, the bucket refuses that node's late deletions.
 */
export const removalMs = 10_000;
const deletionsAtOnce = 10;

/** Signs links by the bucket's own clock, as its latest response has told it. @throws Fault `blobs-unavailable`. */
export async function permitRemoval(bucket: Bucket, hashes: readonly string[]): Promise<Removal> {
  const signingDate = new Date(Math.floor(bucket.now() / 1_000) * 1_000);
  const links = new Map<string, string>();
  for (const sha256 of hashes) {
    const command = new DeleteObjectCommand({ Bucket: bucket.config.bucket, Key: blobKey(bucket.config, sha256) });
    const signed = getSignedUrl(bucket.client, command, { signingDate, expiresIn: removalMs / 1_000 });
    links.set(
      sha256,
      await signed.catch((error: unknown) => {
        throw bucket.fault(error);
      }),
    );
  }
  return {
    async delete(some) {
      for (const together of inChunks(some, deletionsAtOnce)) {
        await Promise.all(together.map((sha256) => deleteBy(bucket, links.get(sha256)!)));
      }
    },
  };
}

/** One attempt: a later one needs another check. */
async function deleteBy(bucket: Bucket, link: string): Promise<void> {
  const { name } = bucket;
  const response = await fetch(link, { method: "DELETE", signal: AbortSignal.timeout(removalMs) }).catch((cause: unknown) => {
    throw new Fault("blobs-unavailable", `${name} cannot be reached`, { cause });
  });
  await response.arrayBuffer();
  if (response.ok || response.status === 404) return;
  const reason = response.status === 403 ? "refuses a deletion, or it came too late" : `responds with ${response.status} to a deletion`;
  throw new Fault("blobs-unavailable", `${name} ${reason}`);
}
