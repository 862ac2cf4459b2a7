// The options of single sign-on, and which emails count.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readServiceConfig } from "../../../../src/main/service.ts";
import { verifiedEmailIn } from "../../../../src/service/people/sso/claims.ts";
import { temporaryFolder } from "../../../support/folder.ts";

test("[SGN45] the options of single sign-on are checked at the start: https, one's own tenant, a secret in a file", async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, "secret");
  await writeFile(file, "x");
  expect(readServiceConfig([]).sso).toBeNull();
  const base = ["--sso-client-id", "signage", "--sso-client-secret-file", file];
  const read = (issuer: string, ...more: string[]) => readServiceConfig(["--sso-issuer", issuer, ...base, ...more]).sso;
  expect(read("https://login.example.com/realms/main")).toEqual({
    issuer: "https://login.example.com/realms/main",
    clientId: "signage",
    clientSecretFile: file,
    name: "login.example.com",
    join: null,
  });
  expect(read("http://127.0.0.1:9000", "--sso-name", "Acme", "--sso-join-domains", "Acme.example, b.example")).toMatchObject({
    name: "Acme",
    join: { domains: ["acme.example", "b.example"], teamId: null, role: "viewer" },
  });
  for (const [refused, reason] of [
    [() => read("http://login.example.com"), /--sso-issuer.*https/],
    [() => read("http://127.0.0.1.example.com"), /--sso-issuer.*https/],
    [() => read("https://login.microsoftonline.com/common/v2.0"), /your own tenant/],
    [() => readServiceConfig(["--sso-issuer", "https://a.example"]), /--sso-client-id.*--sso-client-secret-file/],
    [() => readServiceConfig(["--sso-name", "x"]), /goes with --sso-issuer/],
    [() => read("https://a.example", "--sso-join-role", "editor"), /goes with --sso-join-domains/],
    [() => read("https://a.example", "--sso-join-domains", "a.example", "--sso-join-role", "owner"), /viewer or editor/],
    [() => read("https://a.example", "--sso-join-domains", "*"), /domains such as/],
  ] as const) {
    expect(refused).toThrow(reason);
  }
});

test("[SGN46] only an email that the provider says is verified counts (email_verified, xms_edov), from Google only those of its domains", () => {
  const email = "ada@example.com";
  const entra = "https://login.microsoftonline.com/tenant/v2.0";
  const emailOf = (claims: object, issuer = "https://a.example") => verifiedEmailIn({ ...claims }, issuer);
  expect(emailOf({ email: "Ada@Example.com", email_verified: true })).toBe(email);
  for (const claims of [{ email }, { email, email_verified: false }, { email, email_verified: "true" }, { email, xms_edov: true }]) {
    expect(emailOf(claims)).toBeNull();
  }
  expect([{ email_verified: true }, { email: "no email", email_verified: true }].map((claims) => emailOf(claims))).toEqual([null, null]);
  expect([emailOf({ email, xms_edov: true }, entra), emailOf({ email, xms_edov: "1" }, entra)]).toEqual([email, email]);
  const google = "https://accounts.google.com";
  const ofGoogle = (more: object) => emailOf({ email, email_verified: true, ...more }, google);
  expect([ofGoogle({}), ofGoogle({ hd: "example.com" }), ofGoogle({ email: "ada@gmail.com" })]).toEqual([null, email, "ada@gmail.com"]);
  expect([
    emailOf({ email }, entra),
    emailOf({ email, xms_edov: false }, entra),
    emailOf({ email, xms_edov: true, email_verified: false }, entra),
  ]).toEqual([null, null, null]);
});
