// When alerts are raised, and who is mailed.
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { client } from "../../../data/client.ts";
import { useMay, useSession } from "../../../data/session.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { Section } from "../../../ui/section.tsx";
import { KindSettings } from "./kind-settings.tsx";
import { kinds, type Rules, type Settings } from "./kinds.ts";
import { MailSettings } from "./mail-settings.tsx";

const text = texts("alerts");

export function AlertSettings() {
  const { team } = useSession();
  const { data, error } = useQuery({
    queryKey: ["alert-settings", team.id],
    queryFn: async () => (await client.get("/api/v1/alert-settings")).data,
    staleTime: 0,
  });
  return (
    <Section title={text("settings")} text={text("settingsText")}>
      <ProblemMessage error={error} />
      {data === undefined ? null : <SettingsForm settings={data} />}
    </Section>
  );
}

function SettingsForm({ settings }: { settings: Settings }) {
  const mayChange = useMay("players:write");
  // Null: nothing was changed here, and the service's settings are shown.
  const [draft, setDraft] = useState<Rules | null>(null);
  const { mail, ...storedSettings } = settings;
  const rules = draft ?? storedSettings;
  const saving = useAct({
    run: async (body: Rules) => client.patch("/api/v1/alert-settings", { body }),
    changes: ["alert-settings", "alerts", "audit"],
    toast: () => ({ message: text("saved") }),
    after: () => setDraft(null),
    showsErrors: true,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (draft !== null) saving.mutate({ ...draft, recipients: draft.recipients.map((each) => each.trim()).filter((each) => each !== "") });
  };
  return (
    <form className="form" onSubmit={submit}>
      <div className="alert-kinds grid gap-3">
        {kinds.map((kind) => (
          <KindSettings
            key={kind}
            kind={kind}
            value={rules.kinds[kind]}
            isDisabled={!mayChange}
            onChange={(change) => setDraft({ ...rules, kinds: { ...rules.kinds, [kind]: { ...rules.kinds[kind], ...change } } })}
          />
        ))}
      </div>
      <MailSettings rules={rules} mail={mail} isChanged={draft !== null} isDisabled={!mayChange} onChange={setDraft} />
      <ProblemMessage error={saving.error} />
      {draft === null ? null : (
        <div className="alert-save flex end gap-2 pad-block-3 line-above">
          <Button onPress={() => setDraft(null)}>{text("reset")}</Button>
          <Button kind="primary" type="submit" isPending={saving.isPending}>
            {text("save")}
          </Button>
        </div>
      )}
    </form>
  );
}
