// Keeps nodes from using one database with different places of the blobs.
import { Fault } from "../../../base/fault.ts";
import { metaKeys, readOrCreateMeta } from "../../store/meta.ts";
import type { Db } from "../../store/store.ts";
import type { S3Config } from "./s3/config.ts";

/** The name of a place, without credentials. @param s3 null: the blobs are in data folders */
export function nameOfPlace(s3: S3Config | null): string {
  if (s3 === null) return "the data folders of the nodes (no --blobs)";
  const { bucket, prefix, endpoint } = s3;
  const at = endpoint === null ? "" : ` at ${new URL(endpoint).host}`;
  return `s3://${bucket}/${prefix.replace(/\/$/, "")}`.replace(/\/$/, "") + at;
}

/** Records the place of the first node. @throws Fault `refused` for another place than that. */
export async function claimPlace(db: Db, s3: S3Config | null): Promise<void> {
  const mine = nameOfPlace(s3);
  const place = await readOrCreateMeta(db, metaKeys.blobsPlace, mine);
  if (place === mine) return;
  throw new Fault(
    "refused",
    `the nodes of this database keep their blobs in ${place}, and this one is started with ${mine}: give it the same --blobs ` +
      "and --s3-endpoint. If the blobs have been moved, see docs/scaling-blobs.md",
  );
}
