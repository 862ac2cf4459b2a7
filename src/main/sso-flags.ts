// The service's flags for single sign-on.
import { z } from "zod";
import { isId } from "../protocol/common.ts";
import { isLoopbackHost, type SsoConfig } from "../service/people/sso/config.ts";
import { ExistingFile } from "./flags.ts";

/** As `--help` lists them. */
export const ssoUsage = {
  "sso-issuer": { value: "URL", help: "Provider of single sign-on (OpenID Connect), such as https://login.example.com/realms/main" },
  "sso-client-id": { value: "ID", help: "The client that the service is at the provider" },
  "sso-client-secret-file": { value: "FILE", help: "File with the secret of that client" },
  "sso-name": { value: "NAME", help: 'What people know the provider as: "Sign in with NAME" (default: its host name)' },
  "sso-join-domains": {
    value: "DOMAIN[,DOMAIN]",
    help: "People with emails of these domains join when they first sign in. Default: only members and invited people are let in",
  },
  "sso-join-team": { value: "TEAM_ID", help: "The team that they join (default: the first one)" },
  "sso-join-role": { value: "viewer|editor", help: "The role that they get (default viewer)" },
} as const;

/** Issuers of Entra ID that stand for many companies: who is verified there is known to none in particular. */
const manyTenants = /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers)(?:\/|$)/i;
const domain = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]*[a-z0-9]$/;

/** Their schemas. */
export const ssoFlags = {
  "sso-issuer": z
    .url({ protocol: /^https?$/, message: "must be an https:// address" })
    .refine((url) => isSafe(url), "must be https://, so that nobody can pretend to be the provider; http:// only on this machine")
    .refine((url) => !manyTenants.test(url), "must name your own tenant, such as https://login.microsoftonline.com/TENANT_ID/v2.0")
    .optional(),
  "sso-client-id": z.string().min(1, "must be the id of a client").optional(),
  "sso-client-secret-file": ExistingFile,
  "sso-name": z.string().trim().min(1, "must be a name").max(60, "must have 60 characters or less").optional(),
  "sso-join-domains": z
    .string()
    .transform((text) => text.split(",").map((part) => part.trim().toLowerCase()))
    .refine((domains) => domains.every((each) => domain.test(each)), "must be domains such as example.com, with commas between them")
    .optional(),
  "sso-join-team": z
    .string()
    .refine((text) => isId("team", text), "must be the id of a team (team_…)")
    .optional(),
  "sso-join-role": z.enum(["viewer", "editor"], "must be viewer or editor: owners are made by owners").optional(),
};

type SsoFlags = z.infer<z.ZodObject<typeof ssoFlags>>;

/** Reports flags that are missing or go with others. */
export function checkSsoFlags(flags: SsoFlags, wrong: (flag: string, message: string) => void): void {
  const needed = ["sso-client-id", "sso-client-secret-file"] as const;
  if (flags["sso-issuer"] === undefined) {
    for (const name of [...needed, "sso-name", "sso-join-domains"] as const) {
      if (flags[name] !== undefined) wrong(name, "goes with --sso-issuer");
    }
  } else for (const name of needed) if (flags[name] === undefined) wrong(name, "goes with --sso-issuer");
  if (flags["sso-join-domains"] !== undefined) return;
  for (const name of ["sso-join-team", "sso-join-role"] as const)
    if (flags[name] !== undefined) wrong(name, "goes with --sso-join-domains");
}

/** The provider of single sign-on; null: there is none. */
export function readSsoFlags(flags: SsoFlags): SsoConfig | null {
  const {
    "sso-issuer": issuer,
    "sso-client-id": clientId,
    "sso-client-secret-file": clientSecretFile,
    "sso-join-domains": domains,
  } = flags;
  if (issuer === undefined || clientId === undefined || clientSecretFile === undefined) return null;
  const join =
    domains === undefined ? null : { domains, teamId: flags["sso-join-team"] ?? null, role: flags["sso-join-role"] ?? ("viewer" as const) };
  return { issuer, clientId, clientSecretFile, name: flags["sso-name"] ?? new URL(issuer).host, join };
}

function isSafe(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || isLoopbackHost(hostname);
}
