// Sends one mail by SMTP, and says whether it is worth another try. The server's address is set by whoever runs the service.
import { readFile } from "node:fs/promises";
import { reasonOf } from "../../../base/fault.ts";

/** The mail server of the service. */
export interface SmtpConfig {
  host: string;
  port: number;
  /** `starttls` and `tls` never send anything unencrypted. */
  security: "tls" | "starttls" | "none";
  user: string | null;
  /** Read for each mail, so that a changed password needs no restart. */
  passwordFile: string | null;
  /** The address of the sender. */
  from: string;
  /** Certificates to trust besides those of the system (PEM). */
  caFile: string | null;
}

/** A mail to send. */
export interface OutgoingMail {
  id: string;
  /** The name of the sender. */
  sender: string;
  recipients: readonly string[];
  subject: string;
  text: string;
  html: string;
  /** The id of the first mail of its thread; null: it is the first. */
  thread: string | null;
}

/** `retry`: the recipients for whom another try may help. */
export type SendOutcome = { is: "sent"; refused: string | null } | { is: "failed" | "retry"; recipients: readonly string[]; error: string };

const timeoutMs = 30_000;
const maxErrorLength = 300;
// These depend on the settings of service and server, which people correct; the server may then accept the same mail.
const correctable = ["EAUTH", "ENOAUTH", "ETLS", "EDNS", "ECONNECTION", "ETIMEDOUT", "ESOCKET", "EPROTOCOL"];

/** Rejects only when `signal` aborts. */
export async function sendMail(config: SmtpConfig, mail: OutgoingMail, signal: AbortSignal): Promise<SendOutcome> {
  let password: string | undefined;
  try {
    password = config.passwordFile === null ? undefined : (await readFile(config.passwordFile, "utf8")).trimEnd();
    const ca = config.caFile === null ? {} : { ca: await readFile(config.caFile) };
    // Loaded only by services that send mails.
    const { createTransport } = await import("nodemailer");
    const transport = createTransport({
      host: config.host,
      port: config.port,
      secure: config.security === "tls",
      requireTLS: config.security === "starttls",
      ignoreTLS: config.security === "none",
      ...(config.user === null ? {} : { auth: { user: config.user, pass: password ?? "" } }),
      tls: { minVersion: "TLSv1.2", ...ca },
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      dnsTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const close = (): void => transport.close();
    signal.addEventListener("abort", close, { once: true });
    try {
      const info = await transport.sendMail({ ...messageOf(config, mail), signal });
      return outcomeOf(info.rejectedErrors ?? [], password, config.user);
    } finally {
      signal.removeEventListener("abort", close);
      transport.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    const refusals = error instanceof Error && "rejectedErrors" in error ? (error.rejectedErrors as readonly Error[]) : [];
    // The server has refused all recipients, each for its own reason.
    const outcome = refusals.length === 0 ? null : outcomeOf(refusals, password, config.user);
    if (outcome?.is === "retry") return outcome;
    const is = outcome !== null || isPermanent(error) ? "failed" : "retry";
    return { is, recipients: mail.recipients, error: textOf(error, password, config.user) };
  }
}

function messageOf(config: SmtpConfig, { id, sender, recipients, subject, text, html, thread }: OutgoingMail) {
  const domain = config.from.slice(config.from.lastIndexOf("@") + 1);
  const idOf = (mailId: string) => `<${mailId}@${domain}>`;
  return {
    from: { name: sender, address: config.from },
    // Objects, not text: an address is never parsed as a list.
    to: recipients.map((address) => ({ name: "", address })),
    subject: oneLine(subject),
    text,
    html,
    messageId: idOf(id),
    ...(thread === null ? {} : { inReplyTo: idOf(thread), references: [idOf(thread)] }),
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  };
}

/** A mail that the server has accepted, perhaps not for all recipients. */
function outcomeOf(refusals: readonly Error[], password: string | undefined, user: string | null): SendOutcome {
  if (refusals.length === 0) return { is: "sent", refused: null };
  const later = refusals.filter((error) => !isPermanent(error));
  const error = refusals.map((each) => textOf(each, password, user)).join("; ");
  if (later.length === 0) return { is: "sent", refused: error };
  return { is: "retry", recipients: later.flatMap((each) => ("recipient" in each ? [String(each.recipient)] : [])), error };
}

function isPermanent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && correctable.includes(String(error.code))) return false;
  return "responseCode" in error && typeof error.responseCode === "number" && error.responseCode >= 500;
}

/** The error's text without the password, which a server may repeat. */
function textOf(error: unknown, password: string | undefined, user: string | null): string {
  const text = oneLine(reasonOf(error));
  const secrets =
    password === undefined || password === ""
      ? []
      : [password, Buffer.from(password).toString("base64"), Buffer.from(`\0${user}\0${password}`).toString("base64")];
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, "…"), text).slice(0, maxErrorLength);
}

/** A line without control characters: a header ends with its line. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}
