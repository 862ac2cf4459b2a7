// Examines videos and sound: length, size, codec, and whether the players' engine can play them at all.
import type { InputAudioTrack, InputVideoTrack } from "mediabunny";
import type { AssetWarning } from "../../../protocol/content/assets.ts";
import { ProblemError } from "../../http/problem.ts";
import { badFile, errorSummary, mediaInfo, type Media } from "../media.ts";

// What Chromium decodes on every host, in hardware or not. HEVC and the rest play on some boxes and stay black on
// others, without an error: they are refused rather than left to chance.
const playableVideo = new Set(["avc", "vp8", "vp9", "av1"]);
const playableSound = new Set(["aac", "mp3", "opus", "vorbis", "flac"]);
const codecNames: Record<string, string> = { hevc: "HEVC (H.265)", prores: "ProRes", mpeg4: "MPEG-4 Part 2" };
const fastBitsPerS = 50_000_000;
const largestFrame = 4_096 * 2_304;
const fastFramesPerS = 61;
// High 10, High 4:2:2 and High 4:4:4 Predictive (ITU-T H.264, annex A): no hardware decoder of a signage box does them.
const hardProfiles = /^avc1\.(?:6e|7a|f4)/i;

type Tracks = { video: InputVideoTrack | null; sound: InputAudioTrack | null };

/** @throws Refusal 422 for a video that is cut short, broken or in a codec that players cannot play. */
export function examineVideo(path: string, mimeType: string): Promise<Media> {
  return withTracks(path, "video", async ({ video, sound }, bitsPerS) => {
    // Sound alone comes in the same containers.
    if (video === null && sound !== null) return soundOf(sound, mimeType.replace("video/", "audio/"));
    if (video === null) throw badFile("The file holds neither picture nor sound, or it was cut short; export it again");
    const codec = await video.getCodec();
    if (codec === null || !playableVideo.has(codec)) throw unplayable(codec ?? String(await video.getInternalCodecId()));
    const durationMs = await lengthOf(video);
    const [width, height] = [await video.getDisplayWidth(), await video.getDisplayHeight()];
    if (!(width > 0) || !(height > 0)) throw new Error("it has no size");
    const warnings = await warningsOf({ video, sound }, bitsPerS(durationMs), { width, height });
    return mediaInfo("video", mimeType, { width, height, durationMs, codec, warnings });
  });
}

/** @throws Refusal 422 for sound that is cut short, broken or in a codec that players cannot play. */
export function examineSound(path: string, mimeType: string): Promise<Media> {
  return withTracks(path, "sound", async ({ video, sound }) => {
    if (sound === null || (video !== null && mimeType === "audio/ogg")) {
      throw badFile("The file holds no sound that can be played: convert it to MP3, AAC, Opus, WAV or FLAC");
    }
    return soundOf(sound, mimeType);
  });
}

async function soundOf(sound: InputAudioTrack, mimeType: string): Promise<Media> {
  const codec = await sound.getCodec();
  if (!isPlayableSound(codec)) {
    throw badFile(`The sound is ${codec ?? "in an unknown codec"}, which players cannot play: convert it to AAC, MP3, Opus or FLAC`);
  }
  return mediaInfo("audio", mimeType, { durationMs: await lengthOf(sound), codec });
}

/** Opens the file and hands over its tracks, and its bits per second by its length. */
async function withTracks(
  path: string,
  what: string,
  look: (tracks: Tracks, bitsPerS: (ms: number) => number) => Promise<Media>,
): Promise<Media> {
  const { ALL_FORMATS, FilePathSource, Input } = await import("mediabunny");
  let failure: unknown;
  const source = new FilePathSource(path, { handleUnhandledError: (error) => (failure = error) });
  const input = new Input({ formats: ALL_FORMATS, source });
  try {
    const tracks = { video: await input.getPrimaryVideoTrack(), sound: await input.getPrimaryAudioTrack() };
    const sizeBytes = await source.getSize();
    const found = await look(tracks, (ms) => (sizeBytes * 8_000) / ms);
    if (failure !== undefined) throw failure;
    return found;
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause;
    throw badFile(`The ${what} cannot be read (${errorSummary(cause)}): it may be cut short; export it again`, cause);
  } finally {
    input.dispose();
  }
}

/** Its length in ms, with proof that its end is there: the table of contents may promise what the file no longer holds. */
async function lengthOf(track: InputVideoTrack | InputAudioTrack): Promise<number> {
  const { EncodedPacketSink } = await import("mediabunny");
  const seconds = await track.computeDuration();
  const last = await new EncodedPacketSink(track).getPacket(seconds);
  if (last === null || last.data.byteLength === 0) throw new Error("its end is missing");
  if (!(seconds > 0)) throw new Error("it has no length");
  return Math.max(1, Math.round(seconds * 1_000));
}

async function warningsOf(
  { video, sound }: { video: InputVideoTrack; sound: InputAudioTrack | null },
  bitsPerS: number,
  { width, height }: { width: number; height: number },
): Promise<AssetWarning[]> {
  const warnings: AssetWarning[] = [];
  const warn = (code: AssetWarning["code"], detail: string) => warnings.push({ code, detail });
  if (bitsPerS > fastBitsPerS) {
    warn("bit-rate", `${Math.round(bitsPerS / 1e6)} Mbit/s are more than many boxes can read and decode: encode it at 50 Mbit/s or less`);
  }
  if (width * height > largestFrame)
    warn("resolution", `${width} × ${height} is beyond 4K, which few boxes decode: scale it to 3840 × 2160`);
  const framesPerS = (await video.computePacketStats(200)).averagePacketRate;
  if (framesPerS > fastFramesPerS)
    warn("frame-rate", `${Math.round(framesPerS)} frames a second are more than screens show: encode it at 60`);
  if (hardProfiles.test((await video.getCodecParameterString()) ?? "")) {
    warn("profile", "This H.264 profile has no hardware decoder: encode it as High profile, 8 bit, 4:2:0");
  }
  if (sound !== null && !isPlayableSound(await sound.getCodec())) {
    const codec = (await sound.getCodec()) ?? String(await sound.getInternalCodecId());
    warn("sound", `Its sound (${codec}) cannot be played, the picture will be silent: convert the sound to AAC or Opus`);
  }
  return warnings;
}

function isPlayableSound(codec: string | null): boolean {
  return codec !== null && (playableSound.has(codec) || /^pcm|^[au]law/.test(codec));
}

function unplayable(codec: string): ProblemError {
  return badFile(`The video is ${codecNames[codec] ?? codec}, which players cannot play: convert it to H.264, VP9 or AV1`);
}
