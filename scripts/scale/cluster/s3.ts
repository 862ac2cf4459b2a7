// The S3 stand-in for the cluster, in a process of its own.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testBucket, testCredentials } from "../../../test/support/s3/server.ts";
import { Engine } from "./engine.ts";

/** A running S3 stand-in. */
export interface S3Server {
  engine: Engine;
  /** The flags of a node that keeps its files there. */
  flags: readonly string[];
}

/** Starts it with its objects in `folder`. @param address that it listens on. */
export async function startS3(folder: string, logs: string, port: number, address = "127.0.0.1"): Promise<S3Server> {
  const objects = join(folder, "s3");
  await mkdir(objects);
  const url = `http://${address}:${port}`;
  const command = [process.execPath, "test/support/s3/server.ts", "--port", String(port), "--host", address, "--folder", objects];
  // Any answer will do: a request without a signature is refused.
  const isReady = (): Promise<boolean> => fetch(`${url}/${testBucket}/`).then(Boolean, () => false);
  const engine = new Engine({ name: "s3", command, stopSignal: "SIGTERM", isReady }, logs);
  await engine.start();
  const secretFile = join(folder, "s3-secret");
  await writeFile(secretFile, testCredentials.secretAccessKey, { mode: 0o600 });
  const key = ["--s3-access-key-id", testCredentials.accessKeyId, "--s3-secret-key-file", secretFile];
  return { engine, flags: ["--blobs", `s3://${testBucket}`, "--s3-endpoint", url, "--s3-path-style", ...key] };
}
