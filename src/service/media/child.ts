// The program of a media process: takes jobs one by one, answers them, and ends when the service is gone. Knows no network and no secret.
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { ProblemError } from "../http/problem.ts";
import type { Answer, Job } from "./job-protocol.ts";
import { errorSummary } from "./media.ts";

interface Channel {
  onLine(hear: (line: string) => void): void;
  send(line: string): void;
}

const channel = process.parentPort === undefined ? pipes() : electronPort(process.parentPort);
// Jobs come from the service itself, so they are believed: schemas would take half of the time that a start takes.
channel.onLine((line) => void take(JSON.parse(line) as Job));
// Loaded before the first job comes: that is most of the time that a small picture takes.
const { default: sharp } = await import("sharp");
sharp.concurrency(1);
sharp.cache(false);
await import("file-type");

async function take(job: Job): Promise<void> {
  const answer = await run(job).catch((error: unknown): Answer => {
    const text = errorSummary(error).slice(0, 2_000);
    return error instanceof ProblemError ? { id: job.id, is: "refused", detail: text } : { id: job.id, is: "failed", message: text };
  });
  tell(answer);
}

async function run(job: Job): Promise<Answer> {
  const { id } = job;
  switch (job.do) {
    case "examine": {
      const { examine } = await import("./examine.ts");
      const media = await examine(job.path, job.claimed ?? undefined, job.to, (mimeType) => tell({ id, is: "type", mimeType }));
      return { id, is: "media", media };
    }
    case "shrink": {
      const { makeThumbnail } = await import("./formats/thumbnail.ts");
      const picture = await makeThumbnail("path" in job.source ? job.source.path : Buffer.from(job.source.base64, "base64"));
      return { id, is: "picture", base64: picture.toString("base64") };
    }
  }
}

function tell(answer: Answer): void {
  channel.send(JSON.stringify(answer));
}

/** Jobs by standard input, whose end says that the service is gone; answers by the third descriptor, since libraries print. */
function pipes(): Channel {
  const answers = new Socket({ fd: 3, readable: false, writable: true });
  // Nobody reads any more: the service is gone.
  answers.on("error", () => process.exit());
  // Ctrl+C reaches every process of the terminal. The service decides what is still finished.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  const lines = createInterface({ input: process.stdin });
  lines.once("close", () => process.exit());
  return { onLine: (hear) => void lines.on("line", hear), send: (line) => void answers.write(`${line}\n`) };
}

/** In Electron's package, whose main process forks us and hands on each message. */
function electronPort(port: NonNullable<typeof process.parentPort>): Channel {
  return { onLine: (hear) => void port.on("message", ({ data }) => hear(String(data))), send: (line) => port.postMessage(line) };
}
