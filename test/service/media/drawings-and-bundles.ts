// Drawings and bundles that are accepted, and hostile or broken ones with the reasons for which they are rejected.
import sharp from "sharp";
import { zipOf, type ZipFile } from "../../support/media/zip.ts";

/** A file that is rejected, and what the reason says. */
export type RejectedFile = readonly [name: string, bytes: Buffer, detail: RegExp];

export const svg = (inside: string, more = "") =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="120" height="80"${more}>${inside}</svg>`,
  );

const page: ZipFile = { name: "index.html", bytes: Buffer.from("<!doctype html><p>Hello") };

/** SVGs of 120 × 80 that only draw. */
export async function drawings(): Promise<Buffer[]> {
  const dot = `data:image/png;base64,${(
    await sharp({ create: { width: 1, height: 1, channels: 3, background: "red" } })
      .png()
      .toBuffer()
  ).toString("base64")}`;
  return [
    svg('<rect width="50" height="50" fill="red"/>'),
    Buffer.concat([
      Buffer.from(
        '\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n<!-- by hand -->',
      ),
      svg("<g/>"),
    ]),
    svg('<defs><linearGradient id="g"/></defs><style>/* c */ .a{fill:url(#g)}</style><circle class="a" r="9"/><use xlink:href="#g"/>'),
    svg(`<image href="${dot}" width="9" height="9"/><text>&lt;script&gt; &#169;</text><a><title>on&amp;off</title></a>`),
  ];
}

/** SVGs that run, embed or fetch something, or that browsers might read differently. */
export const hostileDrawings: readonly RejectedFile[] = [
  ["script", svg("<script>alert(1)</script>"), /<script>/],
  ["script in a namespace", svg('<x:script xmlns:x="http://www.w3.org/2000/svg">1</x:script>'), /x:script/],
  ["handler", svg("<g/>", ' onload="alert(1)"'), /onload/],
  ["handler in capitals", svg('<rect OnClick="1"/>'), /OnClick/],
  ["foreignObject", svg("<foreignObject><p/></foreignObject>"), /foreignObject/],
  ["javascript link", svg('<a href="javascript:alert(1)"><g/></a>'), /outside itself/],
  ["encoded link", svg('<a xlink:href="&#106;avascript:alert(1)"/>'), /outside itself/],
  ["link by animation", svg('<a><set attributeName="href" to="javascript:alert(1)"/></a>'), /animates/],
  ["external picture", svg('<image href="https://example.com/a.png"/>'), /outside itself/],
  ["file", svg('<image xlink:href="file:///etc/passwd"/>'), /outside itself/],
  ["SVG in data", svg('<use href="data:image/svg+xml;base64,PHN2Zy8+"/>'), /outside itself/],
  ["external style", svg("<style>rect{fill:url(https://example.com/a)}</style>"), /outside itself/],
  ["style import", svg('<style>@import "https://example.com/a.css";</style>'), /imports/],
  ["style in CDATA", svg("<style><![CDATA[@import url(//example.com)]]></style>"), /imports/],
  ["escaped style", svg("<style>rect{fill:u\\72l(https://example.com)}</style>"), /escapes/],
  ["style import split by a comment", svg("<style>@im<!-- -->port 'https://example.com/a.css';</style>"), /imports/],
  [
    "style in a string that looks like a comment",
    svg(`<style>a{content:"/*"}b{fill:url(https://example.com)}c{content:"*/"}</style>`),
    /outside itself/,
  ],
  ["style attribute", svg("<rect style=\"fill:url('https://example.com/x')\"/>"), /outside itself/],
  ["style sheet instruction", Buffer.concat([Buffer.from('<?xml-stylesheet href="x.css"?>'), svg("<g/>")]), /processing instruction/],
  [
    "entity bomb",
    Buffer.concat([Buffer.from('<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'), svg("<text>&b;</text>")]),
    /entities/,
  ],
  ["unknown entity", svg("<text>&bomb;</text>"), /entity/],
  ["truncated", svg("<g><rect/></g>").subarray(0, -9), /truncated/],
  ["another encoding", Buffer.concat([Buffer.from('<?xml version="1.0" encoding="UTF-7"?>'), svg("<g/>")]), /UTF-7/],
  ["no size", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /cannot be drawn/],
  ["too large", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="20000" height="9"><g/></svg>'), /16384/],
];

/** A bundle with folders and names that are not ASCII. */
export const goodBundle = (): Buffer =>
  zipOf([
    page,
    { name: "css/", bytes: Buffer.alloc(0), mode: 0o040755 },
    { name: "css/a.css", bytes: Buffer.from("p{}") },
    { name: "größe.txt", bytes: Buffer.from("1") },
  ]);

/** Bundles that are bombs, hostile, broken or without a page. */
export function hostileBundles(): RejectedFile[] {
  const zeros = Buffer.alloc(40_000_000);
  const named = (name: string, mode?: number): ZipFile => ({ name, bytes: Buffer.from("x"), ...(mode === undefined ? {} : { mode }) });
  return [
    ["no page", zipOf([named("other.html")]), /no index\.html/],
    ["folder instead of its contents", zipOf([named("site/index.html")]), /zip the contents of the folder “site”/],
    ["bomb", zipOf([page, { name: "zero", bytes: zeros }]), /zip bomb/],
    ["bomb that claims to be small", zipOf([page, { name: "zero", bytes: zeros, claimedSize: 100 }]), /cannot be read|zip bomb/],
    ["claims a terabyte", zipOf([page, { name: "a", bytes: Buffer.from("a"), claimedSize: 4_000_000_000 }]), /1 GiB/],
    ["parent path", zipOf([page, named("../evil")]), /cannot be read|name/],
    ["absolute path", zipOf([page, named("/etc/passwd")]), /cannot be read|name/],
    ["Windows path", zipOf([page, named("C:\\evil")]), /cannot be read|name/],
    ["parent path in the middle", zipOf([page, named("a/../../evil")]), /cannot be read|name/],
    ["symbolic link", zipOf([page, named("link", 0o120777)]), /link or a device/],
    ["the same name twice", zipOf([page, named("a"), named("A")]), /twice/],
    ["wrong checksum", zipOf([page, { ...named("a"), crc: 1 }]), /checksum/],
    ["too many files", zipOf([page, ...Array.from({ length: 5_000 }, (_, index) => named(`f${index}`))]), /5001 files/],
    ["truncated", zipOf([page, named("a")]).subarray(0, -30), /cannot be read/],
  ];
}
