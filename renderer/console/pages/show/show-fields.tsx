// The fields of showing something: the content, where, until when, and the effect.
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { ContentEditor } from "./content-editor.tsx";
import type { ContentKind } from "./draft.ts";
import { Outlook } from "./outlook.tsx";
import { TargetPicker } from "./target-picker.tsx";
import { isEmptyTarget } from "./target.ts";
import { UntilPicker } from "./until-picker.tsx";
import type { ShowForm } from "./use-show.ts";

export function ShowFields({
  form,
  kinds,
  isFileGiven = false,
}: {
  form: ShowForm;
  kinds?: readonly ContentKind[];
  isFileGiven?: boolean;
}) {
  const { draft, change, outlook, error, errors } = form;
  // A file that was dropped onto a screen needs nothing more.
  const asksWhere = isFileGiven && isEmptyTarget(draft.target);
  return (
    <>
      <ContentEditor draft={draft} onChange={change} errors={errors} {...(kinds === undefined ? {} : { kinds })} />
      <TargetPicker value={draft.target} onChange={(target) => change({ target })} allowsEverywhere autoFocus={asksWhere} />
      <UntilPicker value={draft.until} onChange={(until) => change({ until })} error={errors["until"]} />
      <Outlook outlook={error === null ? outlook : undefined} />
      <ProblemMessage error={error} />
    </>
  );
}
