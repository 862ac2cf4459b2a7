// Creates certificates with openssl: a self-signed one for localhost, and one of a private authority.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];

/** Creates a key and its certificate in `folder` and returns their paths; null if openssl is not installed. */
export async function createSelfSignedCertificate(folder: string): Promise<{ key: string; cert: string } | null> {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  return (await openssl([...request, ...names, "-keyout", key, "-out", cert])) ? { key, cert } : null;
}

/**
 * Creates a private authority in `folder`, and a key with a certificate of it for the hosts `names`.
 * @returns the paths of the authority's certificate, the key and its certificate; null if openssl is not installed.
 */
export async function createPrivateCertificate(
  folder: string,
  names: readonly string[],
): Promise<{ authority: string; key: string; cert: string } | null> {
  const [authorityKey, authority, key, cert] = ["ca-key.pem", "ca.pem", "key.pem", "cert.pem"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  const isInstalled = await openssl([...request, "-subj", "/CN=A private network", "-keyout", authorityKey, "-out", authority]);
  if (!isInstalled) return null;
  const about = ["-subj", `/CN=${names[0]}`, "-addext", `subjectAltName=${names.map((name) => `DNS:${name}`).join(",")}`];
  const leaf = ["-addext", "basicConstraints=critical,CA:FALSE", "-CA", authority, "-CAkey", authorityKey];
  await openssl([...request, ...about, ...leaf, "-keyout", key, "-out", cert]);
  return { authority, key, cert };
}

/** Whether openssl is installed. */
async function openssl(args: readonly string[]): Promise<boolean> {
  try {
    await promisify(execFile)("openssl", args);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}
