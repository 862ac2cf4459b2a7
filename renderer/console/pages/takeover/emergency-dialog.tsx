// Begins an emergency in two steps: content and screens, then a summary that must be confirmed.
import { useState } from "react";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { MessageEditor } from "../show/content-editor.tsx";
import { Outlook } from "../show/outlook.tsx";
import { takeoverPriority } from "../show/shows.ts";
import { TargetPicker } from "../show/target-picker.tsx";
import { screensOf } from "../show/target.ts";
import { useTeamScreens } from "../show/team-screens.ts";
import { TextPreview } from "../show/text-preview.tsx";
import { UntilPicker } from "../show/until-picker.tsx";
import { useShow, type ShowForm } from "../show/use-show.ts";

const text = texts("takeover");
const mostNames = 6;

export function EmergencyDialog({ onClose }: { onClose: () => void }) {
  const form = useShow(
    { kind: "text", text: text("emergencyPreset"), look: "red", until: { is: "open", at: "" } },
    { priority: takeoverPriority, emergency: true },
  );
  const [isReview, setIsReview] = useState(false);
  const { sending, outlook, isComplete, draft, change, error, errors } = form;
  const start = (): void => sending.mutate(undefined, { onSuccess: onClose });
  if (isReview) {
    const actions = (
      <>
        <Button onPress={() => setIsReview(false)}>{text("emergencyBack")}</Button>
        <Button kind="danger" isPending={sending.isPending} onPress={start}>
          {text("emergencyStart", { count: outlook?.player_count ?? 0 })}
        </Button>
      </>
    );
    return (
      <Dialog key="review" role="alertdialog" title={text("emergencyReviewTitle")} isOpen onClose={onClose} actions={actions}>
        <Review form={form} />
        <ProblemMessage error={error} />
      </Dialog>
    );
  }
  const actions = (
    <Button kind="primary" isDisabled={!isComplete || outlook === undefined || error !== null} onPress={() => setIsReview(true)}>
      {text("emergencyReview")}
    </Button>
  );
  return (
    <Dialog key="fields" title={text("emergencyTitle")} isOpen onClose={onClose} size="large" actions={actions}>
      <TargetPicker label={text("emergencyWhere")} value={draft.target} onChange={(target) => change({ target })} allowsEverywhere />
      <MessageEditor draft={draft} onChange={change} error={errors["text"]} />
      <UntilPicker
        value={draft.until}
        onChange={(until) => change({ until })}
        choices={["open", "hour"]}
        openName={text("untilOpen")}
        error={errors["until"]}
      />
      <Outlook outlook={error === null ? outlook : undefined} />
      <ProblemMessage error={error} />
    </Dialog>
  );
}

function Review({ form: { draft, outlook } }: { form: ShowForm }) {
  const screens = screensOf(draft.target, useTeamScreens() ?? []);
  const offline = screens.filter(({ status }) => status === "offline").length;
  const names = screens.slice(0, mostNames).map(({ name }) => name);
  return (
    <>
      <p>{text("emergencySummary", { count: outlook?.player_count ?? 0, until: draft.until.is })}</p>
      <TextPreview text={draft.text} look={draft.look} />
      <p className="break-words">{text("whereNames", { names: names.join(", ") + (screens.length > mostNames ? " …" : "") })}</p>
      {offline === 0 ? null : <p>{text("emergencyOffline", { count: offline })}</p>}
    </>
  );
}
