// Signs URLs at which a device or a client reads one object for some minutes, without credentials.
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { SignedResponse } from "../blob-store.ts";
import { clientConfig } from "./bucket.ts";
import type { S3Config } from "./config.ts";

/** How long a URL is valid. The bucket looks at it when a request begins, so a slow download may last longer. */
export const signedUrlSeconds = 900;

export class UrlSigner implements Disposable {
  readonly #config: S3Config;
  readonly #client: S3Client;

  constructor(config: S3Config) {
    this.#config = config;
    this.#client = new S3Client(clientConfig(config, config.publicEndpoint ?? config.endpoint));
  }

  /** Computes the URL of a GET, whole or with Range. No request is sent. */
  sign(key: string, { contentType, contentDisposition, cacheControl }: SignedResponse): Promise<string> {
    const command = new GetObjectCommand({
      Bucket: this.#config.bucket,
      Key: key,
      ResponseContentType: contentType,
      ResponseContentDisposition: contentDisposition,
      ResponseCacheControl: cacheControl,
    });
    return getSignedUrl(this.#client, command, { expiresIn: signedUrlSeconds });
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }
}
