// Where a command is on its way: queued, delivered, accepted, running, and how it ended.
import "./commands.css";
import { formatDateTime, readable } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import type { Command } from "../data.ts";
import { isEnded } from "./use-command.ts";

const text = texts("screenCommands");
const steps = ["queued", "delivered", "acknowledged", "running"] as const;

const kinds: Readonly<Partial<Record<Command["status"], string>>> = {
  succeeded: "good",
  failed: "bad",
  rejected: "bad",
  expired: "warn",
  cancelled: "warn",
};

interface LifecycleProps {
  command: Command | null;
  /** Why it did not succeed, or could not even be sent; null: it has not failed. */
  failure: string | null;
  /** True if a screen reader announces changes: for a command that the person has just sent. */
  isAnnounced?: boolean;
}

export function Lifecycle({ command, failure, isAnnounced = true }: LifecycleProps) {
  return (
    <div className="cluster gap-2" {...(isAnnounced ? { role: "status" } : {})}>
      {command === null ? null : (
        <>
          <span className="lifecycle-steps" aria-hidden="true">
            {steps.map((step) => {
              const transition = command.history.find(({ status }) => status === step);
              return (
                <span
                  key={step}
                  className="lifecycle-step"
                  data-reached={transition !== undefined || command.status === "succeeded"}
                  title={transition === undefined ? text(step) : `${text(step)} · ${formatDateTime(new Date(transition.at))}`}
                />
              );
            })}
          </span>
          <span className="badge" data-kind={isEnded(command) ? kinds[command.status] : "accent"}>
            {text(command.status)}
          </span>
        </>
      )}
      {failure === null ? null : <span className="small bad break-words">{readable(failure)}</span>}
    </div>
  );
}
