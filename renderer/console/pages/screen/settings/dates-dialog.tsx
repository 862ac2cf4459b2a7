// The dates of a calendar: a new one, or those of one that exists.
import "./settings.css";
import { useId, useState, type FormEvent } from "react";
import { useQueryClient } from "@tanstack/react-query";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { client } from "../../../data/client.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { fieldErrorsOf, ProblemMessage } from "../../../ui/problem-message.tsx";
import { TextField } from "../../../ui/text-field.tsx";

const text = texts("common", "screenSettings");

type Calendar = Schemas["Calendar"];

interface DatesDialogProps {
  /** Null: a new one. */
  calendar: Calendar | null;
  onClose: () => void;
  onSaved: (calendar: Calendar) => void;
}

/** A line of the dialog. Its key stays while its date changes. */
interface Line {
  key: number;
  date: string;
  name?: string | undefined;
}

export function DatesDialog({ calendar, onClose, onSaved }: DatesDialogProps) {
  const form = useId();
  const queries = useQueryClient();
  const [name, setName] = useState(calendar?.name ?? "");
  const [lines, setLines] = useState<Line[]>(() => (calendar?.dates ?? [{ date: "" }]).map((each, key) => ({ ...each, key })));
  const saving = useAct({
    run: async (): Promise<Calendar> => {
      const daysByDate = new Map(
        lines.filter(({ date }) => date !== "").map(({ date, name: day }) => [date, { date, ...(day === undefined ? {} : { name: day }) }]),
      );
      const body = { name: name.trim(), dates: [...daysByDate.values()] };
      if (calendar === null) return (await client.post("/api/v1/calendars", { body })).data;
      return (await client.patch("/api/v1/calendars/{id}", { params: { path: { id: calendar.id } }, body })).data;
    },
    changes: ["calendars"],
    showsErrors: true,
    after: (result) => {
      queries.setQueryData(["calendars", "all"], (before: Calendar[] | undefined) => [
        ...(before ?? []).filter(({ id }) => id !== result.id),
        result,
      ]);
      onSaved(result);
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // The dialog is within the form of the settings, which would be saved too.
    event.stopPropagation();
    saving.mutate();
  };
  const nameError = fieldErrorsOf(saving.error)["name"];
  return (
    <Dialog
      title={calendar === null ? text("newDates") : text("editDates", { name: calendar.name })}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{text("cancel")}</Button>
          <Button
            kind="primary"
            type="submit"
            form={form}
            isPending={saving.isPending}
            isDisabled={name.trim() === "" || lines.every(({ date }) => date === "")}
          >
            {text("saveDates")}
          </Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={submit}>
        <TextField
          label={text("datesName")}
          description={text(calendar === null ? "datesNameAbout" : "datesShared")}
          value={name}
          onChange={setName}
          maxLength={200}
          autoFocus={calendar === null}
          error={nameError}
        />
        <ol className="openings-list stack top gap-3" aria-label={text("dates")}>
          {lines.map(({ key, date, name: day }, index) => (
            <li key={key} className="flex bottom gap-2">
              <TextField
                label={day ?? text("dateNumber", { number: index + 1 })}
                type="date"
                value={date}
                onChange={(next) => setLines(lines.map((each) => (each.key === key ? { ...each, date: next } : each)))}
              />
              <Button
                kind="quiet"
                size="small"
                aria-label={text("removeDate", { number: index + 1 })}
                onPress={() => setLines(lines.filter((each) => each.key !== key))}
              >
                <Icon name="trash" />
              </Button>
            </li>
          ))}
        </ol>
        <Button size="small" onPress={() => setLines([...lines, { key: Math.max(-1, ...lines.map(({ key }) => key)) + 1, date: "" }])}>
          <Icon name="plus" /> {text("addDate")}
        </Button>
        {nameError === undefined ? <ProblemMessage error={saving.error} /> : null}
      </form>
    </Dialog>
  );
}
