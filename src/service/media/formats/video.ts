// Examines video and audio files: their length, size and codec, and whether players can play them.
import type { InputAudioTrack, InputVideoTrack } from "mediabunny";
import type { AssetWarning } from "../../../protocol/content/assets.ts";
import { ProblemError } from "../../http/problem.ts";
import { badFile, errorSummary } from "../bad-file.ts";
import type { MediaInfo } from "../job-protocol.ts";
import { mediaInfo } from "../media-info.ts";

// The codecs that Chromium decodes on every host, with or without hardware. Others, such as HEVC, play on some hosts and stay black
// without an error on others, so they are rejected.
const playableVideo = new Set(["avc", "vp8", "vp9", "av1"]);
const playableSound = new Set(["aac", "mp3", "opus", "vorbis", "flac"]);
const codecNames: Record<string, string> = { hevc: "HEVC (H.265)", prores: "ProRes", mpeg4: "MPEG-4 Part 2" };
const fastBitsPerS = 50_000_000;
const largestFrame = 4_096 * 2_304;
const fastFramesPerS = 61;
// High 10, High 4:2:2 and High 4:4:4 Predictive (ITU-T H.264, annex A): no hardware decoder of a signage player supports them.
const hardProfiles = /^avc1\.(?:6e|7a|f4)/i;

type Tracks = { video: InputVideoTrack | null; sound: InputAudioTrack | null };

/** @throws ProblemError 422 for a video that is truncated, broken or in a codec that players cannot play. */
export function examineVideo(path: string, mimeType: string): Promise<MediaInfo> {
  return withTracks(path, "video", async ({ video, sound }, bitsPerS) => {
    // The same containers may hold only audio.
    if (video === null && sound !== null) return soundOf(sound, mimeType.replace("video/", "audio/"));
    if (video === null) throw badFile("The file contains neither video nor audio, or it is truncated; export it again");
    const codec = await video.getCodec();
    if (codec === null || !playableVideo.has(codec)) throw unplayableError(codec ?? String(await video.getInternalCodecId()));
    const durationMs = await lengthOf(video);
    const [width, height] = [await video.getDisplayWidth(), await video.getDisplayHeight()];
    if (!(width > 0) || !(height > 0)) throw new Error("it has no size");
    const warnings = await warningsOf({ video, sound }, bitsPerS(durationMs), { width, height });
    return mediaInfo("video", mimeType, { width, height, durationMs, codec, warnings });
  });
}

/** @throws ProblemError 422 for an audio file that is truncated, broken or in a codec that players cannot play. */
export function examineSound(path: string, mimeType: string): Promise<MediaInfo> {
  return withTracks(path, "sound", async ({ video, sound }) => {
    if (sound === null || (video !== null && mimeType === "audio/ogg")) {
      throw badFile("The file contains no audio that screens can play: convert it to MP3, AAC, Opus, WAV or FLAC");
    }
    return soundOf(sound, mimeType);
  });
}

async function soundOf(sound: InputAudioTrack, mimeType: string): Promise<MediaInfo> {
  const codec = await sound.getCodec();
  if (!isPlayableSound(codec)) {
    throw badFile(`The audio codec ${codec ?? "is unknown"} cannot be played: convert the file to AAC, MP3, Opus or FLAC`);
  }
  return mediaInfo("audio", mimeType, { durationMs: await lengthOf(sound), codec });
}

/** Opens the file and calls `examine` with its tracks and a function that computes its bit rate from its length. */
async function withTracks(
  path: string,
  noun: string,
  examine: (tracks: Tracks, bitsPerS: (ms: number) => number) => Promise<MediaInfo>,
): Promise<MediaInfo> {
  const { ALL_FORMATS, FilePathSource, Input } = await import("mediabunny");
  let failure: unknown;
  const source = new FilePathSource(path, { handleUnhandledError: (error) => (failure = error) });
  const input = new Input({ formats: ALL_FORMATS, source });
  try {
    const tracks = { video: await input.getPrimaryVideoTrack(), sound: await input.getPrimaryAudioTrack() };
    const sizeBytes = await source.getSize();
    const info = await examine(tracks, (ms) => (sizeBytes * 8_000) / ms);
    if (failure !== undefined) throw failure;
    return info;
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause;
    throw badFile(`The ${noun} cannot be read (${errorSummary(cause)}): it may be truncated; export it again`, cause);
  } finally {
    input.dispose();
  }
}

/** The length in ms. Also reads the last packet, since the header of a truncated file still names the full length. */
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
    warn("bit-rate", `${Math.round(bitsPerS / 1e6)} Mbit/s is more than many screens can read and decode: encode it at 50 Mbit/s or less`);
  }
  if (width * height > largestFrame)
    warn("resolution", `${width} × ${height} is more than 4K, which few screens can decode: scale it to 3840 × 2160`);
  const framesPerS = (await video.computePacketStats(200)).averagePacketRate;
  if (framesPerS > fastFramesPerS)
    warn("frame-rate", `${Math.round(framesPerS)} frames per second is more than screens show: encode it at 60`);
  if (hardProfiles.test((await video.getCodecParameterString()) ?? "")) {
    warn("profile", "This H.264 profile has no hardware decoder: encode it as High profile, 8 bit, 4:2:0");
  }
  if (sound !== null && !isPlayableSound(await sound.getCodec())) {
    const codec = (await sound.getCodec()) ?? String(await sound.getInternalCodecId());
    warn("sound", `Screens cannot play the sound (${codec}), so the video is silent: convert the sound to AAC or Opus`);
  }
  return warnings;
}

function isPlayableSound(codec: string | null): boolean {
  return codec !== null && (playableSound.has(codec) || /^pcm|^[au]law/.test(codec));
}

function unplayableError(codec: string): ProblemError {
  return badFile(`The video is ${codecNames[codec] ?? codec}, which screens cannot play: convert it to H.264, VP9 or AV1`);
}
