// The program of a media process: runs the jobs that the service sends, and exits when the service is gone. It has no network and no secrets.
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { ProblemError } from "../http/problem.ts";
import { errorSummary } from "./bad-file.ts";
import type { Job, JobReply } from "./job-protocol.ts";

interface Channel {
  onLine(listener: (line: string) => void): void;
  send(line: string): void;
}

const channel = process.parentPort === undefined ? pipeChannel() : electronChannel(process.parentPort);
// The service's jobs are not validated: loading zod would double the start time.
channel.onLine((line) => void handle(JSON.parse(line) as Job));
// Load the libraries before the first job arrives: loading takes longer than a small picture.
const { default: sharp } = await import("sharp");
sharp.concurrency(1);
sharp.cache(false);
await import("file-type");

async function handle(job: Job): Promise<void> {
  const reply = await run(job).catch((error: unknown): JobReply => {
    const text = errorSummary(error).slice(0, 2_000);
    return error instanceof ProblemError ? { id: job.id, is: "rejected", detail: text } : { id: job.id, is: "failed", message: text };
  });
  send(reply);
}

async function run(job: Job): Promise<JobReply> {
  const { id } = job;
  switch (job.do) {
    case "examine": {
      const { examine } = await import("./examine.ts");
      const media = await examine(job.path, job.claimed ?? undefined, job.to, (mimeType) => send({ id, is: "type", mimeType }));
      return { id, is: "examined", media };
    }
    case "thumbnail": {
      const { makeThumbnail } = await import("./formats/thumbnail.ts");
      const picture = await makeThumbnail("path" in job.source ? job.source.path : Buffer.from(job.source.base64, "base64"));
      return { id, is: "thumbnail", base64: picture.toString("base64") };
    }
  }
}

function send(reply: JobReply): void {
  channel.send(JSON.stringify(reply));
}

/** Jobs come on standard input, which closes when the service ends. Replies go to descriptor 3, since libraries print to standard output. */
function pipeChannel(): Channel {
  const replies = new Socket({ fd: 3, readable: false, writable: true });
  replies.on("error", () => process.exit());
  // Ctrl+C signals every process of the terminal, but the service decides which jobs still finish.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  const lines = createInterface({ input: process.stdin });
  lines.once("close", () => process.exit());
  return { onLine: (listener) => void lines.on("line", listener), send: (line) => void replies.write(`${line}\n`) };
}

/** Under Electron the main process starts this program and relays the messages. */
function electronChannel(port: NonNullable<typeof process.parentPort>): Channel {
  return { onLine: (listener) => void port.on("message", ({ data }) => listener(String(data))), send: (line) => port.postMessage(line) };
}
