// Operations for a team's alert settings: when alerts open and close, who gets mails, and a mail to try them.
import type { Clock } from "../../../base/clock.ts";
import { AlertSettings, AlertSettingsChange, TestMail, type AlertRules } from "../../../protocol/operator/alerts.ts";
import { queueMail, mailStatus } from "../mail/mail-queue.ts";
import { testMail } from "../mail/mail-text.ts";
import { changeRules, readRules, type AlertSettingsBook } from "../settings.ts";
import type { SmtpConfig } from "../mail/smtp.ts";
import { ProblemError } from "../../http/problem.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Db, Store } from "../../store/store.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";
import { readTeam } from "../../people/store/teams.ts";

interface AlertSettingsDependencies {
  alertSettings: AlertSettingsBook;
  clock: Clock;
  makeId: MakeId;
  /** Null: the service has no mail server. */
  mailServer: SmtpConfig | null;
  publicUrl: string | null;
  store: Store;
}

const operation = operationsWith<AlertSettingsDependencies>();

export const alertSettingsOperations: readonly Operation<AlertSettingsDependencies>[] = [
  operation({
    name: "getAlertSettings",
    tag: "alerts",
    method: "GET",
    path: "/alert-settings",
    summary: "Read the alert settings",
    description: "When alerts open and close, who gets mails, and in `mail` whether mails arrive.",
    caller: "operator",
    scope: "players:read",
    status: 200,
    output: AlertSettings,
    errors: [],
    version,
    run: (dependencies, { teamId }) => read(dependencies, teamId),
  }),
  operation({
    name: "updateAlertSettings",
    tag: "alerts",
    method: "PATCH",
    path: "/alert-settings",
    summary: "Change the alert settings",
    description:
      "Omitted fields stay unchanged. New recipients get mails about alerts that open from now on. A kind that is switched off closes its open alerts.",
    caller: "operator",
    scope: "players:write",
    body: AlertSettingsChange,
    example: { recipients: ["screens@example.com"], kinds: { hot: { open_celsius: 75, close_celsius: 65 } } },
    status: 200,
    output: AlertSettings,
    errors: ["invalid", "precondition-failed"],
    version,
    current: async (dependencies, { teamId }) => version(await read(dependencies, teamId)),
    run: (dependencies, { teamId }, { body }, unitOfWork) =>
      unitOfWork.write(
        async (db) => {
          const rules = changeRules(await readRules(db, teamId), body);
          await dependencies.alertSettings.change(db, teamId, rules, Math.trunc(dependencies.clock.now()));
          return { result: undefined, committed: () => dependencies.alertSettings.apply(teamId, rules) };
        },
        (db) => read(dependencies, teamId, db),
      ),
  }),
  operation({
    name: "sendTestMail",
    tag: "alerts",
    method: "POST",
    path: "/alert-settings/test-mail",
    summary: "Send a test mail to the recipients of alerts",
    description: "Queues it. `mail` in `GET /alert-settings` then says whether the mail server accepted it.",
    agent: "Use it after changing the recipients; read get_alert_settings a few seconds later.",
    caller: "operator",
    scope: "players:write",
    status: 202,
    output: TestMail,
    errors: ["wrong-status"],
    run: ({ clock, mailServer, makeId, publicUrl }, { teamId }, _input, unitOfWork) =>
      unitOfWork.write(async (db) => {
        if (mailServer === null) {
          throw new ProblemError("wrong-status", "The service has no mail server: start it with --smtp-host and --smtp-from");
        }
        const { recipients } = await readRules(db, teamId);
        if (recipients.length === 0) throw new ProblemError("wrong-status", "There are no recipients: set them in PATCH /alert-settings");
        const team = await readTeam(db, teamId);
        const now = Math.trunc(clock.now());
        await queueMail(db, { teamId, recipients, thread: null }, testMail(team.name, publicUrl), { makeId, now });
        return { result: { recipients } };
      }),
  }),
];

async function read({ mailServer, store }: AlertSettingsDependencies, teamId: string, db: Db = store.db): Promise<AlertSettings> {
  return { ...(await readRules(db, teamId)), mail: await mailStatus(db, teamId, mailServer !== null) };
}

/** The fields that operators set: the ETag covers them. */
function version({ kinds, recipients, group_minutes, repeat_hours }: AlertSettings): AlertRules {
  return { kinds, recipients, group_minutes, repeat_hours };
}
