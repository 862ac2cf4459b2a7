// One command of a screen: what it does, the controls of its arguments, and how far the last one sent from here has come.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { screenCommands } from "../../../i18n/en/screen-commands.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { ComboBox } from "../../../ui/combo-box.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { Select } from "../../../ui/select.tsx";
import { Slider } from "../../../ui/slider.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { layoutNamesQuery } from "../../../data/layout-names.ts";
import type { PlayerDetails } from "../data.ts";
import { commandAbout, commandName } from "./command-names.ts";
import { CommandResult } from "./command-result.tsx";
import type { CommandSpec, Field, Values } from "./command-table.ts";
import { Lifecycle } from "./lifecycle.tsx";
import { isEnded, useCommand, type CommandRequest } from "./use-command.ts";

const text = texts(screenCommands);
type Capabilities = NonNullable<PlayerDetails["capabilities"]>;

interface CommandRowProps {
  spec: CommandSpec;
  player: PlayerDetails;
  capabilities: Capabilities;
}

export function CommandRow({ spec, player: { id, name, telemetry }, capabilities }: CommandRowProps) {
  const { type, fields = [], args, confirm } = spec;
  const [values, setValues] = useState<Values>(() => ({
    ...Object.fromEntries(fields.map((field) => [field.name, initialOf(field, capabilities)])),
    ...presentOf(type, telemetry),
  }));
  const [isAsking, setIsAsking] = useState(false);
  const { command, isSending, failure, send } = useCommand(id);
  const request = { type, ...(args === undefined ? {} : { args: args(values) }) } as CommandRequest;
  const isIncomplete = fields.some(({ kind, name: field, options }) =>
    kind === "layout" || kind === "text" ? values[field] === "" : kind === "choice" && options!(capabilities).length === 0,
  );
  const title = commandName(type);
  const isRunning = isSending || (command !== null && !isEnded(command));
  return (
    <li className="command">
      <div className="command-head">
        <div className="command-words">
          <h3>{title}</h3>
          <p className="faint">{commandAbout(type)}</p>
        </div>
        <Button
          size="small"
          aria-label={text("sendNamed", { name: title })}
          isPending={isRunning}
          isDisabled={isIncomplete}
          onPress={() => (confirm === undefined ? send(request) : setIsAsking(true))}
        >
          {text("send")}
        </Button>
      </div>
      {fields.length === 0 ? null : (
        <div className="command-fields">
          {fields.map((field) => (
            <FieldControl
              key={field.name}
              field={field}
              capabilities={capabilities}
              value={values[field.name] ?? ""}
              onChange={(value) => setValues({ ...values, [field.name]: value })}
            />
          ))}
        </div>
      )}
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

interface FieldControlProps {
  field: Field;
  capabilities: Capabilities;
  value: string;
  onChange: (value: string) => void;
}

function FieldControl({ field, capabilities, value, onChange }: FieldControlProps) {
  const label = text(field.label);
  switch (field.kind) {
    case "percent":
      return <Slider label={label} minValue={0} maxValue={100} value={Number(value)} onChange={(percent) => onChange(String(percent))} />;
    case "choice": {
      const options = field.options!(capabilities).map((each) => ({
        id: each.value,
        name: each.label === null ? each.value : text(each.label),
      }));
      return <Select label={label} options={options} selectedKey={value} onSelectionChange={onChange} isDisabled={options.length === 0} />;
    }
    case "duration": {
      const options = field.durations!.map((seconds) => ({ id: String(seconds), name: durationName(seconds) }));
      return <Select label={label} options={options} selectedKey={value} onSelectionChange={onChange} />;
    }
    case "layout":
      return <LayoutField label={label} value={value} onChange={onChange} />;
    case "text":
    case "lines":
      return <TextField label={label} value={value} onChange={onChange} isMultiline={field.kind === "lines"} />;
  }
}

function LayoutField({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  const { data } = useQuery(layoutNamesQuery);
  if (data === undefined) return null;
  return <ComboBox label={label} choices={data} value={value === "" ? null : value} onChange={(id) => onChange(id ?? "")} />;
}

function initialOf({ kind, initial, options }: Field, capabilities: Capabilities): string {
  if (kind !== "choice") return initial;
  const all = options!(capabilities);
  return all.some(({ value }) => value === initial) ? initial : (all[0]?.value ?? "");
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

function durationName(seconds: number): string {
  if (seconds === 0) return text("noEnd");
  if (seconds < 60) return text("seconds", { count: seconds });
  return seconds < 3_600 ? text("minutes", { count: seconds / 60 }) : text("hours", { count: seconds / 3_600 });
}
