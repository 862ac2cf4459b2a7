// Stream sources for tests: a live HLS origin and a camera that sends Motion JPEG.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const windowSegments = 5;

/** A stream source that can be interrupted. */
export interface StreamSource extends AsyncDisposable {
  origin: string;
  /** While true, all old and new connections are closed. */
  isDown: boolean;
  /** The paths of all requests. */
  readonly requestedPaths: string[];
}

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  end: () => Promise<void>,
): Promise<StreamSource> {
  const requestedPaths: string[] = [];
  let down = false;
  const server = createServer((request, response) => {
    requestedPaths.push(request.url ?? "");
    if (down) request.socket.destroy();
    else answer(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requestedPaths,
    get isDown() {
      return down;
    },
    set isDown(value) {
      down = value;
      if (value) server.closeAllConnections();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await end();
    },
  };
}

/** A live stream of one colour (`0xRRGGBB`) at `/live/index.m3u8`: segments of one second, of which the newest five are listed, for `seconds`. */
export async function startHlsStream(color: string, seconds: number): Promise<StreamSource> {
  const folder = await mkdtemp(join(tmpdir(), "signage-live-"));
  const picture = ["-f", "lavfi", "-i", `color=c=${color}:s=320x180:r=15:d=${seconds}`];
  const coding = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "15", "-keyint_min", "15"];
  const hls = [
    "-f",
    "hls",
    "-hls_time",
    "1",
    "-hls_list_size",
    "0",
    "-hls_segment_filename",
    join(folder, "%d.ts"),
    join(folder, "all.m3u8"),
  ];
  await run("ffmpeg", ["-v", "error", ...picture, ...coding, ...hls]);
  const start = performance.now();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const name = /^\/live\/([\w.]+)$/.exec(request.url ?? "")?.[1];
    if (name === "index.m3u8") {
      const first = Math.floor((performance.now() - start) / 1_000);
      const segments = Array.from({ length: windowSegments }, (_, index) => `#EXTINF:1.0,\n${first + index}.ts\n`);
      const text = `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:${first}\n${segments.join("")}`;
      response.writeHead(200, { "content-type": "application/vnd.apple.mpegurl" }).end(text);
      return;
    }
    readFile(join(folder, name ?? "none")).then(
      (bytes) => response.writeHead(200, { "content-type": "video/mp2t" }).end(bytes),
      () => response.writeHead(404).end(),
    );
  };
  return serve(answer, () => rm(folder, { recursive: true, force: true }));
}

/** A camera at `/video` that sends `jpeg` ten times a second, each part with its Content-Length if `hasLength`. */
export function startCamera(jpeg: Buffer, hasLength: boolean): Promise<StreamSource> {
  const timers = new Set<NodeJS.Timeout>();
  const answer = (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "multipart/x-mixed-replace; boundary=frame" });
    const length = hasLength ? `Content-Length: ${jpeg.length}\r\n` : "";
    const send = (): void => {
      response.write(`--frame\r\nContent-Type: image/jpeg\r\n${length}\r\n`);
      response.write(jpeg);
      response.write("\r\n");
    };
    const timer = setInterval(send, 100);
    timers.add(timer);
    response.on("close", () => {
      clearInterval(timer);
      timers.delete(timer);
    });
  };
  return serve(answer, async () => {
    for (const timer of timers) clearInterval(timer);
  });
}
