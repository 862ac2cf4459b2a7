// Creates a link to the report of the page, and shows it once.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { dayMs } from "../../../../../src/base/time.ts";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { client } from "../../../data/client.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyField } from "../../../ui/copy-field.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { formOf } from "../../../ui/form.ts";
import { TextField } from "../../../ui/text-field.tsx";
import type { Span } from "../period.ts";
import type { ReportKind, ReportSearch } from "../search.ts";
import { chosenReport, periodInWords } from "./link-content.ts";

const text = texts("common", "reports");
const defaultDays = 30;
const maxDays = 400;

interface ShareDialogProps {
  kind: ReportKind;
  search: ReportSearch;
  span: Span;
  onClose: () => void;
}

export function ShareDialog({ kind, search, span, onClose }: ShareDialogProps) {
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [day, setDay] = useState(() => localDay(new Date(Date.now() + defaultDays * dayMs)));
  const [missing, setMissing] = useState<{ name?: string; expires_at?: string }>({});
  const [link, setLink] = useState<Schemas["CreatedReportLink"] | null>(null);
  const report = chosenReport(kind, search, span);
  const creating = useMutation({
    mutationFn: async () =>
      (await client.post("/api/v1/report-links", { body: { name, report, expires_at: endOfDay(day).toISOString() } })).data,
    onSuccess: (newLink) => {
      setLink(newLink);
      void queries.invalidateQueries({ queryKey: ["report-links"] });
    },
  });
  const form = formOf(creating, ["name", "expires_at"], () => {
    const end = day === "" ? Number.NaN : endOfDay(day).getTime();
    const isEnd = end > Date.now() && end <= Date.now() + maxDays * dayMs;
    const wrong = { ...(name.trim() === "" ? { name: text("required") } : {}), ...(isEnd ? {} : { expires_at: text("wrongEnd") }) };
    setMissing(wrong);
    if (Object.keys(wrong).length === 0) creating.mutate();
  });
  if (link !== null) return <Created link={link} onClose={onClose} />;
  const errors = { ...form.errors, ...missing };
  return (
    <FormDialog
      title={text("shareTitle")}
      intro={text("shareText", { what: periodInWords({ timezone: span.timezone, ...report }) })}
      action={text("create")}
      form={form}
      onClose={onClose}
      noValidate
    >
      <TextField
        label={text("linkName")}
        placeholder={text("linkNamePlaceholder")}
        value={name}
        onChange={setName}
        error={errors.name}
        maxLength={200}
        autoFocus
      />
      <TextField label={text("linkEnds")} type="date" value={day} onChange={setDay} error={errors.expires_at} />
    </FormDialog>
  );
}

function Created({ link: { secret, url }, onClose }: { link: Schemas["CreatedReportLink"]; onClose: () => void }) {
  const address = url ?? new URL(`r/${secret}`, document.baseURI).href;
  const actions = (
    <>
      <a className="button" href={address} target="_blank" rel="noreferrer">
        {text("openIt")}
      </a>
      <Button kind="primary" onPress={onClose}>
        {text("done")}
      </Button>
    </>
  );
  return (
    <Dialog title={text("createdTitle")} isOpen onClose={onClose} actions={actions}>
      <p>{text("createdText")}</p>
      <CopyField label={text("link")} value={address} />
    </Dialog>
  );
}

/** The day in the reader's time zone, as a date field has it. */
function localDay(at: Date): string {
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

function endOfDay(day: string): Date {
  return new Date(`${day}T23:59:59`);
}
