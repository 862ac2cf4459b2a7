// The bundle server: each hostname serves one bundle, which may use only its own network origins.
import { request } from "node:http";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { BundleServer } from "../../../src/player/web-items/bundle-server.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";
import { zipOf } from "../../support/media/zip.ts";

const framedBy = "http://127.1.2.3:4567";

interface Got {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

async function open() {
  const folder = await temporaryFolder();
  await writeFile(
    join(folder.path, "a"),
    zipOf([
      { name: "index.html", bytes: "A" },
      { name: "a.js", bytes: "0123456789" },
    ]),
  );
  await writeFile(join(folder.path, "b"), zipOf([{ name: "index.html", bytes: "B" }]));
  await writeFile(
    join(folder.path, "bad"),
    zipOf([
      { name: "index.html", bytes: "C" },
      { name: "../x", bytes: "" },
    ]),
  );
  const media = (name: string) => (["a", "b", "bad"].includes(name) ? { folder: folder.path, name } : null);
  const bundles = await BundleServer.open({ media, framedBy, log: silentLog });
  const [a, b, bad] = [newId("itm"), newId("itm"), newId("itm")];
  bundles.serve([
    { itemId: a, sha256: "a", network: ["https://api.example.com"] },
    { itemId: b, sha256: "b", network: [] },
    { itemId: bad, sha256: "bad", network: [] },
  ]);
  const end = async () => {
    await bundles[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  return { bundles, a, b, bad, [Symbol.asyncDispose]: end };
}

/** Requests a path like a browser that resolves the hostname to 127.0.0.1. */
function get(url: string, path = "/", options: { host?: string; method?: string; range?: string } = {}): Promise<Got> {
  const { host, port } = new URL(url);
  const headers = { host: options.host ?? host, ...(options.range === undefined ? {} : { range: options.range }) };
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, method: options.method ?? "GET", headers }, (answer) => {
      let body = "";
      answer.on("data", (part: Buffer) => (body += part.toString()));
      answer.on("end", () => resolve({ status: answer.statusCode!, headers: answer.headers, body }));
    })
      .on("error", reject)
      .end();
  });
}

test("[BUN3] each hostname serves its own bundle and nothing else", async () => {
  await using at = await open();
  const [a, b] = [at.bundles.urlOf(at.a), at.bundles.urlOf(at.b)];
  expect(new URL(a).hostname).toMatch(/^[0-9a-z]{26}\.localhost$/);
  expect(await get(a)).toMatchObject({ status: 200, body: "A", headers: { "content-type": "text/html; charset=utf-8" } });
  expect((await get(b)).body).toBe("B");
  expect((await get(b, "/a.js")).status).toBe(404);
  for (const path of ["/../a", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/a", "/%zz", "//etc/passwd"])
    expect((await get(a, path)).status).toBe(404);
  for (const host of ["127.0.0.1", `localhost:${new URL(a).port}`, "evil.example", new URL(a).hostname]) {
    expect((await get(a, "/", { host })).status).toBe(403);
  }
  expect((await get(a, "/", { method: "POST" })).status).toBe(405);
  expect(await get(a, "/a.js", { range: "bytes=2-4" })).toMatchObject({
    status: 206,
    body: "234",
    headers: { "content-range": "bytes 2-4/10" },
  });
  expect((await get(a, "/a.js", { range: "bytes=99-" })).status).toBe(416);
});

test("[BUN4] a bundle can load its own files and its declared origins, and only the page can frame it", async () => {
  await using at = await open();
  const policy = String((await get(at.bundles.urlOf(at.b))).headers["content-security-policy"]);
  expect(policy).toContain("default-src 'self' data: blob:;");
  expect(policy).toContain(`frame-ancestors 'self' ${framedBy}`);
  expect(policy).not.toContain("http://*");
  const declared = String((await get(at.bundles.urlOf(at.a))).headers["content-security-policy"]);
  expect(declared).toContain("default-src 'self' https://api.example.com data: blob:;");
});

test("[BUN5] a rejected bundle is not served and has a reason; a bundle that is no longer needed is not served", async () => {
  await using at = await open();
  expect((await get(at.bundles.urlOf(at.bad))).status).toBe(422);
  expect(at.bundles.rejectionOf(at.bad)).toContain("damaged");
  expect(at.bundles.rejectionOf(at.a)).toBeNull();
  await get(at.bundles.urlOf(at.a));
  at.bundles.serve([{ itemId: at.b, sha256: "b", network: [] }]);
  expect((await get(at.bundles.urlOf(at.a))).status).toBe(403);
  expect((await get(at.bundles.urlOf(at.b))).status).toBe(200);
});
