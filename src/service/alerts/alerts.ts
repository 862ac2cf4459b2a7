// Connects the parts of alerts: settings, the engine, and the mails about alerts.
import { runAll } from "../../base/async/run-all.ts";
import { AlertEngine, type AlertEngineDependencies } from "./engine.ts";
import { MailPlanner } from "./mail/mail-planner.ts";
import { MailSender } from "./mail/mail-sender.ts";
import type { SmtpConfig } from "./mail/smtp.ts";
import { AlertSettingsBook } from "./settings.ts";

export interface AlertsDependencies extends Omit<AlertEngineDependencies, "settings" | "canMail"> {
  publicUrl: string | null;
  /** Null: no mails are sent. */
  smtp: SmtpConfig | null;
}

/** Opens alerts as they were when the service stopped. */
export async function openAlerts({ publicUrl, smtp, ...dependencies }: AlertsDependencies) {
  const { nodes, store } = dependencies;
  const settings = await AlertSettingsBook.open(store, nodes);
  const alerts = await AlertEngine.open({ ...dependencies, settings, canMail: smtp !== null });
  const planner = new MailPlanner({ ...dependencies, settings, publicUrl });
  const sender = new MailSender({ ...dependencies, smtp });
  const run = async (signal: AbortSignal): Promise<never> => {
    // Another node may have had this duty before.
    if (nodes.isShared) {
      await settings.read();
      await alerts.read();
    }
    return runAll(
      [alerts, planner].map((part) => (each: AbortSignal) => part.run(each)),
      signal,
    );
  };
  return { alerts, alertSettings: settings, mailServer: smtp, alertLoops: { run }, mailSender: sender };
}
