// The pages that the stage is compared with: a naive one, and xiboplayer's renderer from the npm registry.
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "vite";

/** The files of a page by name; `""` is the page itself. The server adds the media `red`, `green` and `video`. */
export type PeerPage = ReadonlyMap<string, { type: string; bytes: Buffer }>;

// AGPL: installed only for the measurement. Nothing of it is in the product or its packages.
const xibo = "@xiboplayer/renderer@0.5.20";
const html = (body: string): { type: string; bytes: Buffer } => ({
  type: "text/html",
  bytes: Buffer.from(`<!doctype html><body style="margin:0;background:#000;overflow:hidden">${body}`),
});

/** A page that replaces one element by setTimeout. */
export function naivePage(): PeerPage {
  const script = `
const items = [["img", "red", 4000], ["video", "video", 5000], ["img", "green", 4000], ["video", "video", 5000]];
let place = 0;
function next() {
  const [tag, src, ms] = items[place++ % items.length];
  const element = document.createElement(tag);
  element.style.cssText = "width:100vw;height:100vh;object-fit:fill;display:block";
  if (tag === "video") { element.autoplay = true; element.muted = true; }
  element.src = src;
  document.body.replaceChildren(element);
  setTimeout(next, ms);
}
next();`;
  return new Map([["", html(`<script>${script}</script>`)]]);
}

/** xiboplayer as its authors intend it: a layout per item, and the next layout preloaded on request. */
export async function xiboPage(folder: string): Promise<PeerPage> {
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), "{}");
  await promisify(execFile)("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", xibo], { cwd: folder });
  const script = `
import { RendererLite } from "@xiboplayer/renderer/renderer-lite";
const items = [["image", "red", 4], ["video", "video", 5], ["image", "green", 4], ["video", "video", 5]];
const xlf = ([type, uri, seconds], place) =>
  '<layout width="1920" height="1080" bgcolor="#000000" duration="' + seconds + '"><region id="r' + place +
  '" width="1920" height="1080" top="0" left="0"><media id="m' + place + '" type="' + type + '" duration="' + seconds +
  '" render="native" fileId="' + (place + 1) + '"><options><uri>' + uri + '</uri><scaleType>stretch</scaleType><mute>1</mute></options></media></region></layout>';
const layouts = items.map(xlf);
const getMediaUrl = async (fileId) => location.origin + "/" + items[fileId - 1][1];
const container = document.body.appendChild(document.createElement("div"));
const renderer = new RendererLite({ cmsUrl: location.origin, hardwareKey: "bench" }, container, { getMediaUrl, logLevel: "ERROR" });
let place = 0;
const idOf = (which) => 1 + (which % items.length);
const render = () => renderer.renderLayout(layouts[place % items.length], idOf(place));
renderer.on("request-next-layout-preload", () => renderer.preloadLayout(layouts[(place + 1) % items.length], idOf(place + 1)));
renderer.on("layoutEnd", () => { place += 1; render(); });
render();`;
  const entry = join(folder, "peer.js");
  await writeFile(entry, script);
  const outDir = join(folder, "built");
  await build({
    configFile: false,
    root: folder,
    logLevel: "error",
    build: { outDir, lib: { entry, formats: ["es"], fileName: () => "peer.js" }, rollupOptions: { external: ["hls.js", "pdfjs-dist"] } },
  });
  const bytes = await readFile(join(outDir, "peer.js"));
  return new Map([
    ["", html(`<script type=module src=peer.js></script>`)],
    ["peer.js", { type: "text/javascript", bytes }],
  ]);
}
