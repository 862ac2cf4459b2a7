// Creates a self-signed certificate for localhost with openssl.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];

/** Creates a key and its certificate in `folder` and returns their paths; null if openssl is not installed. */
export async function createSelfSignedCertificate(folder: string): Promise<{ key: string; cert: string } | null> {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  try {
    await promisify(execFile)("openssl", [...request, ...names, "-keyout", key, "-out", cert]);
    return { key, cert };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
