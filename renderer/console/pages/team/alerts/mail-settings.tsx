// The recipients of mails about alerts, how often they get one, and whether mails arrive.
import { client } from "../../../data/client.ts";
import { useAct } from "../../../data/use-act.ts";
import { formatDateTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { NumberField } from "../../../ui/number-field.tsx";
import { Select } from "../../../ui/select.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import type { Rules, Settings } from "./kinds.ts";

const text = texts("alerts");

const repeats = [1, 6, 12, 24, 48, 168];

interface MailSettingsProps {
  rules: Rules;
  mail: Settings["mail"];
  /** There are changes that are not saved: a test would go to the saved recipients. */
  isChanged: boolean;
  isDisabled: boolean;
  onChange: (rules: Rules) => void;
}

export function MailSettings({ rules, mail, isChanged, isDisabled, onChange }: MailSettingsProps) {
  const testing = useAct({
    run: async () => (await client.post("/api/v1/alert-settings/test-mail")).data,
    changes: ["alert-settings", "audit"],
    toast: ({ recipients }) => ({ message: text("tested", { count: recipients.length }) }),
  });
  const { repeat_hours: repeat } = rules;
  const hours = repeat === null || repeats.includes(repeat) ? repeats : [...repeats, repeat].toSorted((a, b) => a - b);
  const options = [
    { id: "never", name: text("repeatNever") },
    ...hours.map((count) => ({ id: String(count), name: text("repeatHours", { count }) })),
  ];
  return (
    <div className="card alert-mail top" role="group" aria-label={text("mails")}>
      <h3>{text("mails")}</h3>
      <p className="alert-mail-state soft" data-is={mail.is}>
        {stateOf(mail)} {mail.waiting > 0 ? text("waiting", { count: mail.waiting }) : null}
      </p>
      <TextField
        label={text("recipients")}
        description={text("recipientsText")}
        isMultiline
        value={rules.recipients.join("\n")}
        onChange={(value) => onChange({ ...rules, recipients: value === "" ? [] : value.split("\n") })}
        isDisabled={isDisabled}
      />
      <div className="alert-mail-fields wrap">
        <NumberField
          label={text("group")}
          unit={text("minutes")}
          value={rules.group_minutes}
          minValue={0}
          maxValue={60}
          isDisabled={isDisabled}
          onChange={(next) => (Number.isNaN(next) ? undefined : onChange({ ...rules, group_minutes: next }))}
        />
        <Select
          label={text("repeat")}
          options={options}
          selectedKey={repeat === null ? "never" : String(repeat)}
          onSelectionChange={(key) => onChange({ ...rules, repeat_hours: key === "never" ? null : Number(key) })}
          isDisabled={isDisabled}
        />
      </div>
      {mail.is === "off" || rules.recipients.length === 0 || isDisabled ? null : (
        <Button isDisabled={isChanged} isPending={testing.isPending} onPress={() => testing.mutate()}>
          {text("test")}
        </Button>
      )}
    </div>
  );
}

/** The state of the delivery of mails, in words. */
function stateOf({ is, detail, last_sent_at }: Settings["mail"]): string {
  switch (is) {
    case "off":
      return text("mailOff");
    case "ready":
      return text("mailReady");
    case "ok":
      return last_sent_at === null ? text("mailOkNever") : text("mailOk", { time: formatDateTime(new Date(last_sent_at)) });
    case "retrying":
      return text("mailRetrying", { detail });
    case "failed":
      return text("mailFailed", { detail });
  }
}
