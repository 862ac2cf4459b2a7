// The S3 stand-in for the cluster, in a process of its own.
import type { Engine } from "./engine.ts";

/** A running S3 stand-in. */
export interface S3Server {
  engine: Engine;
  url: (host?: string) => string;
}

export async function startS3(_folder: string, _logs: string, _port: number): Promise<S3Server> {
  throw new Error("not there yet");
}
