// A service with screens and a mail server, for tests of mails about alerts.
import type { ApiResponse } from "../harness.ts";
import type { SmtpConfig } from "../../../src/service/alerts/mail/smtp.ts";
import type { MailServer } from "../../support/network/mail-server.ts";
import { AlertFleet } from "./alert-fleet.ts";

export const recipients = ["screens@example.com"];

export function smtpAt(port: number, more: Partial<SmtpConfig> = {}): SmtpConfig {
  const none = { user: null, passwordFile: null, caFile: null };
  return { host: "127.0.0.1", port, security: "none", from: "signage@example.com", ...none, ...more };
}

export async function startWithMail(folder: string, server: MailServer, more: Partial<SmtpConfig> = {}): Promise<AlertFleet> {
  const fleet = await AlertFleet.start(folder, { smtp: smtpAt(server.port, more), publicUrl: "https://signs.example.com" });
  await fleet.set(1, 1, { recipients });
  return fleet;
}

/** Lets time pass until the server has received so many mails. */
export async function received(fleet: AlertFleet, server: MailServer, count: number) {
  await fleet.until(async () => server.mails.length >= count);
  return server.mails;
}

export async function mailState(fleet: AlertFleet): Promise<ApiResponse["body"]> {
  return (await fleet.api.call("GET", "alert-settings")).body.mail;
}
