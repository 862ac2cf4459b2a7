// Extracts a frame of a video with the machine's ffmpeg, in the same sandbox and limits as media processes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { defaultLimits } from "../limits.ts";
import { watchLimits } from "../process-usage.ts";
import { sandboxedCommand, mediaEnvironment } from "../process.ts";
import { thumbnailEdge as edge } from "./sizes.ts";
import { findProgram } from "../../../base/processes/process-group.ts";

const maxFrameBytes = 64 * 1_024 * 1_024;

/** A frame as PNG; null on a machine without ffmpeg. @throws Error when ffmpeg fails or exceeds a limit. */
export async function extractFrame(
  path: string,
  { mime_type, duration_ms }: { mime_type: string; duration_ms: number | null },
  signal: AbortSignal,
): Promise<Buffer | null> {
  const program = await findProgram("ffmpeg", process.env["PATH"]);
  if (program === null) return null;
  const atS = Math.min((duration_ms ?? 0) / 10_000, 5);
  // Name the demuxer and allow only files: a disguised playlist must not open other files or URLs.
  const demuxer = mime_type === "video/webm" ? "matroska" : "mp4";
  const input = ["-protocol_whitelist", "file", "-f", demuxer, "-ss", String(atS), "-i", `file:${path}`];
  const scale = `scale='min(${edge},iw)':'min(${edge},ih)':force_original_aspect_ratio=decrease`;
  const output = ["-an", "-sn", "-frames:v", "1", "-vf", scale, "-f", "image2pipe", "-c:v", "png", "-"];
  const { command, args } = await sandboxedCommand([program, "-v", "error", "-nostdin", "-threads", "1", ...input, ...output]);
  signal.throwIfAborted();
  const ffmpeg = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: mediaEnvironment, signal, killSignal: "SIGKILL" });
  const ended = once(ffmpeg, "close") as Promise<[number | null]>;
  // Awaited below; a rejection while the output is read must not count as unhandled.
  ended.catch(() => undefined);
  const done = new AbortController();
  let exceeded: string | null = null;
  watchLimits(ffmpeg, defaultLimits.thumbnail, done.signal).then(
    (limit) => {
      exceeded = limit;
      ffmpeg.kill("SIGKILL");
    },
    () => undefined, // aborted: ffmpeg ended within its limits
  );
  try {
    const parts: Buffer[] = [];
    let sizeBytes = 0;
    let errors = "";
    ffmpeg.stderr.on("data", (text: Buffer) => (errors = (errors + text.toString()).slice(0, 500)));
    for await (const part of ffmpeg.stdout as AsyncIterable<Buffer>) {
      sizeBytes += part.length;
      if (sizeBytes > maxFrameBytes) ffmpeg.kill("SIGKILL");
      else parts.push(part);
    }
    const [code] = await ended;
    if (exceeded !== null) throw new Error(`ffmpeg exceeded the limit ${String(exceeded)}`);
    if (code !== 0 || sizeBytes === 0) throw new Error(`ffmpeg ended with code ${code}: ${errors}`);
    return Buffer.concat(parts);
  } finally {
    done.abort();
  }
}
