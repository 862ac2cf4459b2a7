// The dialog that sends a command to many screens, only such as they support.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import { client } from "../../data/client.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { ComboBox } from "../../ui/combo-box.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { BulkDialog, type BulkDialogProps } from "./bulk-dialog.tsx";
import { commandAct } from "./command-act.ts";
import { CommandFields, initialValues, isComplete } from "../screen/commands/command-fields.tsx";
import type { Values } from "../screen/commands/command-forms.ts";
import { commandChoices, useCapabilities, useSupport, type BulkCommand, type CommandChoiceId } from "./command-choices.ts";

const text = texts("bulk");
const allChoices = Object.keys(commandChoices) as CommandChoiceId[];
const words = { forecast: "previewCommand", run: "runCommand" } as const;
// Fewer screens are no waves.
const fewestInWaves = 10;

export function CommandDialog(props: BulkDialogProps) {
  const { ids } = props;
  const support = useSupport(ids, useId());
  const [choice, setChoice] = useState<CommandChoiceId | null>(null);
  const [wantsWaves, setWantsWaves] = useState<boolean | null>(null);
  const [batchId, setBatchId] = useState<string | null>(null);
  const command = choice === null ? null : commandChoices[choice];
  const isRisky = command !== null && "isRisky" in command;
  const isInWaves = ids.length >= fewestInWaves && (wantsWaves ?? isRisky);
  const form = command !== null && "form" in command ? command.form : null;
  const capabilities = useCapabilities(ids, form !== null);
  const [input, setInput] = useState<Values | null>(null);
  const fields = form?.fields ?? [];
  const values = capabilities === null ? null : (input ?? initialValues(fields, capabilities));
  const isReady = form === null || (values !== null && isComplete(fields, values, capabilities!));
  // As text, so that the action stays the same while its content does.
  const args = JSON.stringify(form === null || values === null ? command?.args : form.args!(values));
  const act = useMemo(
    () =>
      command === null || !isReady
        ? null
        : commandAct({ type: command.type, args: JSON.parse(args) } as BulkCommand, { isInWaves, onBatch: setBatchId }),
    [command, isReady, args, isInWaves],
  );
  const choices = allChoices
    .filter((id) => support === null || support.get(id)! > 0)
    .map((id) => {
      const name = text(commandChoices[id].name);
      const count = support?.get(id) ?? ids.length;
      return { id, name: count === ids.length ? name : text("commandPartly", { name, count, all: ids.length }) };
    });
  return (
    <BulkDialog
      {...props}
      title={text("commandTitle", { count: ids.length })}
      act={act}
      actKey={`${choice} ${isInWaves}`}
      words={words}
      progress={batchId === null ? null : <BatchState id={batchId} />}
    >
      <ComboBox
        label={text("commandLabel")}
        placeholder={text("commandPlaceholder")}
        choices={choices}
        value={choice}
        onChange={(id) => {
          setChoice(id as CommandChoiceId | null);
          setInput(null);
        }}
      />
      {values === null ? null : <CommandFields fields={fields} capabilities={capabilities!} values={values} onChange={setInput} />}
      {values === null || isReady ? null : <p className="faint">{text("commandNothingToChoose")}</p>}
      {ids.length < fewestInWaves || choice === null ? null : (
        <Checkbox isSelected={isInWaves} onChange={setWantsWaves}>
          {text("waves")}
        </Checkbox>
      )}
    </BulkDialog>
  );
}

/** Says that the waves have stopped and why, and lets them go on or ends them. */
function BatchState({ id }: { id: string }) {
  const path = { params: { path: { id } } };
  const { data: batch } = useQuery({
    queryKey: ["command-batches", id],
    queryFn: async () => (await client.get("/api/v1/command-batches/{id}", path)).data,
  });
  const resuming = useMutation({ mutationFn: () => client.post("/api/v1/command-batches/{id}/resume", path) });
  const stopping = useMutation({ mutationFn: () => client.post("/api/v1/command-batches/{id}/cancel", path) });
  if (batch === undefined || batch.state === "finished" || batch.state === "cancelled") return null;
  return (
    <div className="cluster gap-2">
      {batch.state === "halted" ? <p role="alert">{text("batchHalted", { reason: batch.reason ?? "" })}</p> : null}
      {batch.state === "halted" ? (
        <Button size="small" isPending={resuming.isPending} onPress={() => resuming.mutate()}>
          {text("resume")}
        </Button>
      ) : null}
      <Button size="small" isPending={stopping.isPending} onPress={() => stopping.mutate()}>
        {text("stop")}
      </Button>
      <ProblemMessage error={resuming.error ?? stopping.error} />
    </div>
  );
}
