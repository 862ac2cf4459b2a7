// Where a command is on its way: queued, delivered, accepted, running, and how it ended.
import "./commands.css";
import { screenCommands } from "../../../i18n/en/screen-commands.ts";
import { formatDateTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import type { Command } from "../data.ts";
import { isEnded } from "./use-command.ts";

const text = texts(screenCommands);
const steps = ["queued", "delivered", "acknowledged", "running"] as const;

const kinds: Readonly<Partial<Record<Command["status"], string>>> = {
  succeeded: "good",
  failed: "bad",
  rejected: "bad",
  expired: "warn",
  cancelled: "warn",
};

/** @param failure why it did not succeed, or could not even be sent; null: it has not failed. */
export function Lifecycle({ command, failure }: { command: Command | null; failure: string | null }) {
  return (
    <div className="lifecycle" role="status">
      {command === null ? null : (
        <>
          <span className="lifecycle-steps" aria-hidden="true">
            {steps.map((step) => {
              const reached = command.history.find(({ status }) => status === step);
              return (
                <span
                  key={step}
                  className="lifecycle-step"
                  data-reached={reached !== undefined || command.status === "succeeded"}
                  title={reached === undefined ? text(step) : `${text(step)} · ${formatDateTime(new Date(reached.at))}`}
                />
              );
            })}
          </span>
          <span className="badge" data-kind={isEnded(command) ? kinds[command.status] : "accent"}>
            {text(command.status)}
          </span>
        </>
      )}
      {failure === null ? null : <span className="lifecycle-failure">{failure}</span>}
    </div>
  );
}
