// The service's flags for its mail server.
import { z } from "zod";
import type { SmtpConfig } from "../service/alerts/mail/smtp.ts";
import { ExistingFile, Port } from "./flags.ts";

/** As `--help` lists them. */
export const smtpUsage = {
  "smtp-host": {
    value: "HOST",
    help: "Mail server for alerts, and with --public-url for invitations and codes; without it no mails are sent",
  },
  "smtp-port": { value: "PORT", help: "Its port (default 587 for starttls, 465 for tls, 25 for none)" },
  "smtp-security": { value: "starttls|tls|none", help: "How the connection to it is encrypted (default starttls)" },
  "smtp-user": { value: "NAME", help: "User name at the mail server" },
  "smtp-password-file": { value: "FILE", help: "File with the password" },
  "smtp-from": { value: "ADDRESS", help: "Sender of the mails, such as screens@example.com" },
  "smtp-ca": { value: "FILE", help: "Certificate in PEM to trust, if the mail server has one of your own" },
} as const;

/** Their schemas. */
export const smtpFlags = {
  "smtp-host": z.string().min(1, "must be a name or an address").optional(),
  "smtp-port": Port.optional(),
  "smtp-security": z.enum(["starttls", "tls", "none"], "must be starttls, tls or none").default("starttls"),
  "smtp-user": z.string().min(1, "must be a user name").optional(),
  "smtp-password-file": ExistingFile,
  "smtp-from": z.email("must be an email address").optional(),
  "smtp-ca": ExistingFile,
};

type SmtpFlags = z.infer<z.ZodObject<typeof smtpFlags>>;

const defaultPorts = { starttls: 587, tls: 465, none: 25 };

/** Reports flags that are missing or contradict each other. */
export function checkSmtpFlags(
  flags: SmtpFlags,
  wrong: (flag: string, message: string) => void,
  isLoopback: (host: string) => boolean,
): void {
  const host = flags["smtp-host"];
  if (host === undefined) {
    for (const name of ["smtp-user", "smtp-password-file", "smtp-from", "smtp-ca", "smtp-port"] as const) {
      if (flags[name] !== undefined) wrong(name, "goes with --smtp-host");
    }
    return;
  }
  if (flags["smtp-from"] === undefined) wrong("smtp-from", "goes with --smtp-host");
  const hasPassword = flags["smtp-password-file"] !== undefined;
  if (hasPassword !== (flags["smtp-user"] !== undefined)) wrong("smtp-user", "goes with --smtp-password-file");
  if (hasPassword && flags["smtp-security"] === "none" && !isLoopback(host)) {
    wrong("smtp-security", "none would send the password unencrypted: use starttls or tls");
  }
}

/** The mail server; null: there is none. */
export function readSmtpFlags(flags: SmtpFlags): SmtpConfig | null {
  const { "smtp-host": host, "smtp-from": from, "smtp-security": security } = flags;
  if (host === undefined || from === undefined) return null;
  return {
    host,
    port: flags["smtp-port"] ?? defaultPorts[security],
    security,
    user: flags["smtp-user"] ?? null,
    passwordFile: flags["smtp-password-file"] ?? null,
    from,
    caFile: flags["smtp-ca"] ?? null,
  };
}
