// The certificate authorities that the player trusts, with a real private authority, real services and real programs.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { directNetwork } from "../../../src/base/http/network.ts";
import { routerFromEnvironment } from "../../../src/base/http/proxy-route.ts";
import { readCertificates, trustedCertificates } from "../../../src/base/http/trusted-certificates.ts";
import { TestService } from "../../service/harness.ts";
import { createPrivateCertificate } from "../../support/network/certificate.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { startNetworkProxy } from "../../support/network/network-proxy.ts";
import { codesOf, connectOnce } from "./connect-once.ts";

const program = fileURLToPath(new URL("connect-once.ts", import.meta.url));

/** A real service with a certificate of a private authority for localhost and service.test; null without openssl. */
async function startPrivateService(folder: string) {
  const tls = await createPrivateCertificate(folder, ["localhost", "service.test"]);
  if (tls === null) return null;
  const service = await TestService.start(join(folder, "data"), { tls });
  return { tls, service, port: Number(new URL(service.service.url).port), [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

test("[LNK10] requests and the socket trust an authority of the player's file, also through a proxy, and no other certificate", async (context) => {
  await using folder = await temporaryFolder();
  await using started = await startPrivateService(folder.path);
  if (started === null) return context.skip("openssl is not installed");
  const { tls, port } = started;
  await using proxy = await startNetworkProxy({ hosts: { "service.test": port, "other.test": port } });
  const route = routerFromEnvironment({}, `http://127.0.0.1:${proxy.port}`);
  const trusted = trustedCertificates(readCertificates(tls.authority));
  const direct = `https://localhost:${port}`;
  expect(codesOf(await connectOnce(direct, { ...directNetwork(), certificates: trusted }))).toEqual(["ok", "ok"]);
  expect(codesOf(await connectOnce("https://service.test", { route, certificates: trusted }))).toEqual(["ok", "ok"]);
  expect(proxy.requests).toEqual(["CONNECT service.test:443", "CONNECT service.test:443"]);
  // The certificate is not for this name.
  expect(codesOf(await connectOnce("https://other.test", { route, certificates: trusted }))).toEqual(["tls", "tls"]);
  const untrusted = await connectOnce(direct, directNetwork());
  expect(codesOf(untrusted)).toEqual(["tls", "tls"]);
  expect(untrusted[0]!.text).toContain(`The certificate of localhost:${port} is not trusted`);
  expect(untrusted[0]!.text).toContain("(update-ca-certificates), or start signage-player with --ca FILE");
  expect(codesOf(await connectOnce("https://service.test", { ...directNetwork(), route }))).toEqual(["tls", "tls"]);
});

test("[LNK10] switching off the verification in the environment changes nothing", async (context) => {
  await using folder = await temporaryFolder();
  await using started = await startPrivateService(folder.path);
  if (started === null) return context.skip("openssl is not installed");
  expect(await codesOfProgram(started.port, { NODE_TLS_REJECT_UNAUTHORIZED: "0" })).toEqual(["tls", "tls"]);
});

test.for(["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"])(
  "[LNK11] the system's store and NODE_EXTRA_CA_CERTS are trusted: %s",
  async (name, context) => {
    await using folder = await temporaryFolder();
    await using started = await startPrivateService(folder.path);
    if (started === null) return context.skip("openssl is not installed");
    expect(await codesOfProgram(started.port, {})).toEqual(["tls", "tls"]);
    // SSL_CERT_FILE replaces the file of the system's store.
    expect(await codesOfProgram(started.port, { [name]: started.tls.authority })).toEqual(["ok", "ok"]);
  },
);

/** The codes of a program with this environment that connects to the service. */
async function codesOfProgram(port: number, env: Record<string, string>): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, `https://localhost:${port}`], {
    env: { PATH: process.env["PATH"], ...env },
  });
  return JSON.parse(stdout) as string[];
}

test("[PRG8] a certificate file that cannot be used is reported in one line that names it", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "ca.pem");
  expect(() => readCertificates(file)).toThrow(`The certificate file ${file} cannot be used`);
  await writeFile(file, "not a certificate");
  expect(() => readCertificates(file)).toThrow("it has no certificate in PEM format");
  await writeFile(file, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  expect(() => readCertificates(file)).toThrow(`The certificate file ${file} cannot be used`);
  expect(await readFile(file, "utf8")).toContain("AAAA");
});
