// The settings of a screen. Changes of somebody else appear beside the values that the person has typed.
import "./settings.css";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ProblemError } from "../../../../../sdk/typescript/client.ts";
import { client } from "../../../data/client.ts";
import { useMay } from "../../../data/session.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { fieldErrorsOf, ProblemMessage } from "../../../ui/problem-message.tsx";
import { showToast } from "../../../ui/toasts.tsx";
import { playerQuery, type VersionedPlayer } from "../data.ts";
import { ConflictPanel } from "./conflict-panel.tsx";
import { DeleteScreen } from "./delete-screen.tsx";
import { changeOf, conflictsOf, useDraft } from "./draft.ts";
import { ContentSection } from "./content-section.tsx";
import { GeneralSection } from "./general-section.tsx";
import { HoursSection } from "./hours-section.tsx";
import { MachineSection } from "./machine-section.tsx";
import { areValid } from "./openings-editor.tsx";
import { PicturesSection } from "./pictures-section.tsx";
import { RecurringSection } from "./recurring/recurring-section.tsx";
import { ReplaceSection } from "./replace-section.tsx";
import type { SectionProps } from "./section.tsx";
import { WallSection } from "./wall-section.tsx";

const text = texts("screenSettings");
const commonText = texts("common");

export function SettingsTab({ id }: { id: string }) {
  const { data } = useQuery(playerQuery(id));
  return data === undefined ? null : <SettingsForm id={id} current={data} />;
}

function SettingsForm({ id, current }: { id: string; current: VersionedPlayer }) {
  const queries = useQueryClient();
  const may = useMay("players:write");
  const draft = useDraft(id, current.player);
  const saving = useMutation({
    mutationFn: () => save(current),
    onSuccess: ({ player, etag }) => {
      queries.setQueryData(playerQuery(id).queryKey, { player, etag });
      draft.clear();
      showToast({ message: text("saved", { name: player.name }) });
      return queries.invalidateQueries({ queryKey: ["players"] });
    },
  });

  /** Saves the draft. If somebody else has changed other settings meanwhile, theirs stay and it is saved on top of them. */
  const save = async (version: VersionedPlayer): Promise<VersionedPlayer> => {
    const params = { path: { id }, header: { "If-Match": version.etag } };
    try {
      const { data, response } = await client.patch("/api/v1/players/{id}", { params, body: changeOf(id) });
      return { player: { ...version.player, ...data }, etag: response.headers.get("etag") ?? "" };
    } catch (error) {
      if (!(error instanceof ProblemError && error.status === 412)) throw error;
      const fresh = await queries.fetchQuery({ ...playerQuery(id), staleTime: 0 });
      // A conflict is shown, and the person decides.
      if (conflictsOf(id, fresh.player).length > 0) throw error;
      return save(fresh);
    }
  };

  const { changedNames, conflicts, settings } = draft;
  const section: SectionProps = { id, draft, errors: fieldErrorsOf(saving.error), isDisabled: !may };
  const isValid =
    settings.name.trim() !== "" &&
    areValid(settings.display_hours?.open) &&
    (settings.display_hours?.exceptions ?? []).every(({ open }) => areValid(open)) &&
    areValid(settings.downloads?.windows);
  const isConflict = saving.error instanceof ProblemError && saving.error.status === 412;
  return (
    <div className="settings stack gap-4">
      {may ? null : <p className="faint">{commonText("notAllowed")}</p>}
      <form
        className="settings-sections stack gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (may && isValid && changedNames.length > 0 && conflicts.length === 0) saving.mutate();
        }}
      >
        <GeneralSection {...section} />
        <ContentSection {...section} />
        <WallSection {...section} player={current.player} />
        <HoursSection {...section} />
        <RecurringSection {...section} player={current.player} />
        <PicturesSection {...section} />
        <MachineSection {...section} />
        {changedNames.length === 0 ? null : (
          <div className="save-bar stack gap-3 pad-3-4 rounded-l raised shadow" role="region" aria-label={text("save")}>
            {conflicts.length === 0 ? null : <ConflictPanel draft={draft} server={current.player} />}
            {isConflict ? null : <ProblemMessage error={saving.error} />}
            <div className="save-line cluster gap-2">
              <p className="grow strong" role="status">
                {text("unsaved", { count: changedNames.length })}
              </p>
              <Button onPress={draft.clear}>{text("discard")}</Button>
              <Button kind="primary" type="submit" isPending={saving.isPending} isDisabled={!isValid || conflicts.length > 0}>
                {text("save")}
              </Button>
            </div>
          </div>
        )}
      </form>
      {may ? (
        <>
          <ReplaceSection id={id} name={current.player.name} />
          <DeleteScreen id={id} name={current.player.name} />
        </>
      ) : null}
    </div>
  );
}
