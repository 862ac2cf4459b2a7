// The configuration of a bucket.

export interface S3Config {
  bucket: string;
  /** The prefix of all keys: empty, or with a slash at its end. */
  prefix: string;
  /** The server's URL; null: Amazon's, of the region. */
  endpoint: string | null;
  region: string;
  /** True if the bucket is in the path and not in the host name. */
  isPathStyle: boolean;
  /** null: the credentials come from Amazon's usual places, such as the role of the machine. */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | null;
  /** Downloads are redirected to signed links, of the bucket or of `cdn`, an origin before it; null: the service sends the bytes. */
  links: { cdn: string | null } | null;
  /** How many bytes of blobs are kept in the data folder for libraries that read files. */
  cacheBytes: number;
}

/** The key of a blob. */
export function blobKey({ prefix }: S3Config, sha256: string): string {
  return `${prefix}blobs/${sha256.slice(0, 2)}/${sha256}`;
}

/** The hash of the blob with this key; null: it is no blob. */
export function hashOfKey(config: S3Config, key: string): string | null {
  const sha256 = key.slice(key.lastIndexOf("/") + 1);
  return /^[0-9a-f]{64}$/.test(sha256) && key === blobKey(config, sha256) ? sha256 : null;
}
