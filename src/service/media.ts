// Looks at what was uploaded: the bytes decide what it is, and only what a screen can show comes in.
import { open, stat } from "node:fs/promises";
import { Refusal } from "./problem.ts";

/** What the bytes turned out to be. */
export interface Media {
  mimeType: string;
  width: number;
  height: number;
  /** Length of a video, else null. */
  durationMs: number | null;
  /** Codec of a video, such as `avc`, else null. */
  codec: string | null;
}

const imageTypes = ["image/jpeg", "image/png", "image/webp", "image/avif", "image/gif"];
const videoTypes = ["video/mp4", "video/webm"];
// Equal: names for the same thing that browsers and tools send.
const otherNames: Record<string, string> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/apng": "image/png",
  "image/x-png": "image/png",
  "video/x-m4v": "video/mp4",
};
// 16,384 squared; a picture above takes a gigabyte decoded, on the screen too.
const mostPixels = 268_435_456;
const allowed = "JPEG, PNG, WebP, AVIF, GIF, MP4 and WebM are taken";

/**
 * What the file at `path` is. `claimed` is the Content-Type it came with; a specific image or video type must be right.
 * @throws Refusal 422 saying what is wrong with it and what to do.
 */
export async function examine(path: string, claimed: string | undefined): Promise<Media> {
  if ((await stat(path)).size === 0) throw badFile("The file is empty: send its bytes as the body");
  const mimeType = await typeOf(path);
  const said = claimed?.split(";")[0]!.trim().toLowerCase() ?? "";
  const isSpecific = /^(image|video)\/[^*]/.test(said);
  if (isSpecific && (otherNames[said] ?? said) !== mimeType) {
    throw badFile(`The bytes are ${mimeType}, not ${said} as Content-Type says: correct one of them`);
  }
  return mimeType.startsWith("image/") ? examineImage(path, mimeType) : examineVideo(path, mimeType);
}

/** The type that the bytes show. @throws Refusal 422 when it is none that a screen can show. */
async function typeOf(path: string): Promise<string> {
  const { FileTypeParser } = await import("file-type");
  const found = await new FileTypeParser().fromFile(path);
  const mime = found === undefined ? undefined : (otherNames[found.mime] ?? found.mime);
  if (mime !== undefined && (imageTypes.includes(mime) || videoTypes.includes(mime))) return mime;
  if (mime === "application/xml" || (mime === undefined && (await beginsLikeSvg(path)))) {
    throw badFile(`SVG is not taken yet: export it as PNG. ${allowed}`);
  }
  throw badFile(`The bytes are ${mime ?? "nothing that is known here"}. ${allowed}`);
}

async function examineImage(path: string, mimeType: string): Promise<Media> {
  const { default: sharp } = await import("sharp");
  const options = { limitInputPixels: mostPixels, failOn: "truncated", animated: mimeType !== "image/avif" } as const;
  try {
    const { autoOrient } = await sharp(path, { ...options, animated: false }).metadata();
    // Reads every pixel: a cut or broken file must not come to light on a wall.
    await sharp(path, options).stats();
    return { mimeType, width: autoOrient.width, height: autoOrient.height, durationMs: null, codec: null };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw badFile(`The picture cannot be decoded (${reason}): it may be cut short; export it again`, cause);
  }
}

async function examineVideo(path: string, mimeType: string): Promise<Media> {
  const { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input } = await import("mediabunny");
  let failure: unknown;
  const source = new FilePathSource(path, { handleUnhandledError: (error) => (failure = error) });
  const input = new Input({ formats: ALL_FORMATS, source });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (track === null) throw badFile("The file holds no picture: it is only sound, or it was cut short; export it again");
    const codec = await track.getCodec();
    if (codec === null) throw badFile("The video's codec is not known: convert it to H.264, VP9 or AV1");
    const durationS = await input.computeDuration();
    // The table of contents may promise what the file no longer holds.
    const last = await new EncodedPacketSink(track).getPacket(durationS);
    if (last === null || last.data.byteLength === 0 || failure !== undefined) throw failure ?? new Error("its end is missing");
    const [width, height] = [await track.getDisplayWidth(), await track.getDisplayHeight()];
    if (!(durationS > 0) || !(width > 0) || !(height > 0)) throw new Error("it has no length or no size");
    return { mimeType, width, height, durationMs: Math.max(1, Math.round(durationS * 1_000)), codec };
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw badFile(`The video cannot be read (${reason}): it may be cut short; export it again`, cause);
  } finally {
    input.dispose();
  }
}

async function beginsLikeSvg(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1_024), 0, 1_024, 0);
    return /<svg[\s>]/i.test(buffer.toString("utf8", 0, bytesRead));
  } finally {
    await file.close();
  }
}

function badFile(detail: string, cause?: unknown): Refusal {
  return new Refusal("bad-file", detail, { errors: [{ pointer: "", detail }], cause });
}
