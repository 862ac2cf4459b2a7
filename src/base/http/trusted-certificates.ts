// The certificate authorities that TLS connections trust: Node's own, the system's, and those of a file.
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { Fault, reasonOf } from "../fault.ts";

/** Returns the trusted certificates. Reads the system's store at the first call, which takes about 100 ms. */
export type TrustedCertificates = () => SecureContext;

/**
 * Trusts the certificates of Node (with `NODE_EXTRA_CA_CERTS`), of the system's store, and `more` in PEM.
 * A change of the system's store has effect at the next start.
 */
export function trustedCertificates(more: readonly string[] = []): TrustedCertificates {
  let context: SecureContext | null = null;
  return () => {
    context ??= createSecureContext({ ca: [...new Set([...getCACertificates("default"), ...getCACertificates("system"), ...more])] });
    return context;
  };
}

/** The certificates of a PEM file. @throws Fault `bad-config` if the file cannot be read or has no certificate. */
export function readCertificates(file: string): string[] {
  try {
    const certificates = readFileSync(file, "utf8").match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    if (certificates.length === 0) throw new Error("it has no certificate in PEM format");
    // Parse each, so that a damaged file is reported at the start.
    for (const certificate of certificates) new X509Certificate(certificate);
    return certificates;
  } catch (cause) {
    throw new Fault("bad-config", `The certificate file ${file} cannot be used: ${reasonOf(cause)}`, { cause });
  }
}
