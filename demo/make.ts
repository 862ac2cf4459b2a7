// Draws the demo's pictures and video into demo/media: `node demo/make.ts`. Requires ffmpeg and the fonts named in README.md.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, stat } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { book, buns, card } from "./make/column.ts";
import { cup } from "./make/cup.ts";
import { renderPixels } from "./make/draw.ts";
import { evening } from "./make/evening.ts";
import { loaf } from "./make/loaf.ts";
import { frames, video } from "./make/steam.ts";
import { welcome } from "./make/welcome.ts";

const folder = fileURLToPath(new URL("./media/", import.meta.url));

await mkdir(folder, { recursive: true });
for (const draw of [welcome, loaf, cup, evening]) await still(draw(), "jpg");
for (const draw of [buns, book, card]) await still(draw(), "webp");
await film();

async function still(picture: { name: string; svg: string }, type: "jpg" | "webp"): Promise<void> {
  const { data, info } = await renderPixels(picture.svg);
  const image = sharp(data, { raw: { width: info.width, height: info.height, channels: 3 } });
  const path = `${folder}${picture.name}.${type}`;
  await (
    type === "jpg"
      ? image.jpeg({ quality: 84, chromaSubsampling: "4:4:4", mozjpeg: true })
      : image.webp({ quality: 86, smartSubsample: true, effort: 6 })
  ).toFile(path);
  await say(path);
}

/** Encodes H.264 that every Raspberry Pi decodes in hardware. The index comes first, so that playback starts before the download ends. */
async function film(): Promise<void> {
  const path = `${folder}${video.name}.mp4`;
  const input = `-f rawvideo -pix_fmt rgb24 -s ${video.width}x${video.height} -r ${video.framesPerSecond} -i pipe:0`;
  const colours =
    "-vf scale=out_color_matrix=bt709:out_range=tv -color_primaries bt709 -color_trc bt709 -colorspace bt709 -pix_fmt yuv420p";
  const coding = "-an -c:v libx264 -preset veryslow -profile:v high -level 4.0 -crf 21 -g 105 -x264-params aq-mode=3";
  const output = "-fflags +bitexact -flags:v +bitexact -map_metadata -1 -movflags +faststart";
  const flags = `-v error -y ${input} ${colours} ${coding} ${output}`.split(" ");
  const encoder = spawn("ffmpeg", [...flags, path], { stdio: ["pipe", "inherit", "inherit"] });
  const ended = once(encoder, "exit");
  for await (const frame of frames()) {
    if (!encoder.stdin.write(frame)) await once(encoder.stdin, "drain");
  }
  encoder.stdin.end();
  await finished(encoder.stdin);
  const [code] = await ended;
  if (code !== 0) throw new Error(`ffmpeg ended with ${String(code)}`);
  await say(path);
}

async function say(path: string): Promise<void> {
  process.stdout.write(`${path} ${(await stat(path)).size}\n`);
}
