// One command of a screen: its effect, the controls of its arguments, and the progress of the last one that was sent from here.
import { useState } from "react";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import type { PlayerDetails } from "../data.ts";
import { CommandFields, initialValues, isComplete } from "./command-fields.tsx";
import { commandAbout, commandName } from "./command-names.ts";
import { CommandResult } from "./command-result.tsx";
import { commandForms, type CommandType, type Values } from "./command-forms.ts";
import { Lifecycle } from "./lifecycle.tsx";
import { isEnded, useCommand, type CommandRequest } from "./use-command.ts";

const text = texts("screenCommands");
type Capabilities = NonNullable<PlayerDetails["capabilities"]>;

interface CommandRowProps {
  type: CommandType;
  player: PlayerDetails;
  capabilities: Capabilities;
}

export function CommandRow({ type, player: { id, name, telemetry }, capabilities }: CommandRowProps) {
  const { fields = [], args, confirm } = commandForms[type];
  const [values, setValues] = useState<Values>(() => ({
    ...initialValues(fields, capabilities),
    ...presentOf(type, telemetry),
  }));
  const [isAsking, setIsAsking] = useState(false);
  const { command, isSending, failure, send } = useCommand(id);
  const request = { type, ...(args === undefined ? {} : { args: args(values) }) } as CommandRequest;
  const title = commandName(type);
  const isRunning = isSending || (command !== null && !isEnded(command));
  return (
    <li className="command stack gap-2 pad-block-3 line-below">
      <div className="flex top between gap-3">
        <div className="shrink">
          <h3 className="strong no-margin">{title}</h3>
          <p className="faint small">{commandAbout(type)}</p>
        </div>
        <Button
          size="small"
          aria-label={text("sendNamed", { name: title })}
          isPending={isRunning}
          isDisabled={!isComplete(fields, values, capabilities)}
          onPress={() => (confirm === undefined ? send(request) : setIsAsking(true))}
        >
          {text("send")}
        </Button>
      </div>
      <CommandFields fields={fields} capabilities={capabilities} values={values} onChange={setValues} />
      {command === null && failure === null ? null : <Lifecycle command={command} failure={failure} />}
      {command?.status === "succeeded" ? <CommandResult command={command} /> : null}
      {confirm === undefined ? null : (
        <ConfirmDialog title={title} action={title} isOpen={isAsking} onClose={() => setIsAsking(false)} run={async () => send(request)}>
          <p>{text(confirm, { name })}</p>
        </ConfirmDialog>
      )}
    </li>
  );
}

/** The values that the device reports, so that a slider begins where the device is. */
function presentOf(type: string, telemetry: PlayerDetails["telemetry"]): Values {
  const percent =
    type === "audio.volume"
      ? telemetry?.audio?.volume_percent
      : type === "display.brightness"
        ? telemetry?.display?.brightness_percent
        : null;
  return percent == null ? {} : { percent: String(Math.min(100, Math.round(percent))) };
}
