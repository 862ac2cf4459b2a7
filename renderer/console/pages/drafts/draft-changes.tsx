// The changes of a draft, one below the other; of a conflict both, of which one is chosen.
import { useAct } from "../../data/use-act.ts";
import { useDraft, type Draft } from "../../data/draft.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Segments } from "../../ui/segments.tsx";
import { ChangeCards } from "./changes/change-cards.tsx";
import { ChangeCard } from "./changes/change-card.tsx";
import { ChangeView } from "./changes/change-view.tsx";
import type { NameOf } from "./changes/names.ts";
import { dropChange, type Decisions, type DraftChange } from "./drafts.ts";

const text = texts("changes", "drafts");

interface DraftChangesProps {
  draft: Draft;
  nameOf: NameOf;
  decisions: Decisions;
  onDecide: (decisions: Decisions) => void;
  mayChange: boolean;
}

export function DraftChanges({ draft, nameOf, decisions, onDecide, mayChange }: DraftChangesProps) {
  const dropping = useAct({
    run: (change: DraftChange) => dropChange(draft.id, change),
    changes: ["drafts", "draft-contents"],
    toast: (_result, { name }) => ({ message: text("dropped", { name }) }),
  });
  const isWithin = useDraft()?.id === draft.id;
  return (
    <ChangeCards
      // Changes that must be decided come first.
      changes={draft.changes.toSorted((one, other) => Number(other.is_conflicting) - Number(one.is_conflicting))}
      card={(change) => {
        const { id, name, before, after, is_conflicting: isConflicting } = change;
        // Outside of the draft, a link would lead to the published content.
        const isOpenable = isWithin ? after !== null : after !== null && before !== null;
        return (
          <ChangeCard
            key={id}
            change={change}
            nameOf={nameOf}
            isOpenable={isOpenable}
            actions={
              mayChange ? (
                <Button kind="quiet" size="small" aria-label={text("drop", { name })} onPress={() => dropping.mutate(change)}>
                  {text("dropShort")}
                </Button>
              ) : null
            }
          >
            {isConflicting ? (
              <Conflict
                change={change}
                nameOf={nameOf}
                decision={decisions.get(id)}
                onDecide={(decision) => onDecide(new Map([...decisions, [id, decision]]))}
              />
            ) : undefined}
          </ChangeCard>
        );
      }}
    />
  );
}

interface ConflictProps {
  change: DraftChange;
  nameOf: NameOf;
  decision: "mine" | "theirs" | undefined;
  onDecide: (decision: "mine" | "theirs") => void;
}

function Conflict({ change: { kind, before, after, live, name }, nameOf, decision, onDecide }: ConflictProps) {
  const side = (which: "mine" | "theirs") => (decision === undefined ? {} : { "data-chosen": decision === which });
  return (
    <div className="stack gap-3 pad-3-4 rounded warn-ground">
      <div className="change-conflict-head cluster between gap-2-4">
        <div>
          <strong className="warn">{text("conflict")}</strong>
          <p>{text("conflictText")}</p>
        </div>
        <Segments<"mine" | "theirs">
          isLabelHidden
          label={text("which", { name })}
          value={decision ?? null}
          onChange={onDecide}
          options={[
            { id: "mine", name: text("mine") },
            { id: "theirs", name: text("theirs") },
          ]}
        />
      </div>
      <div className="change-sides grid gap-3">
        <div className="change-side stack gap-2 pad-3 shrink surface" {...side("mine")}>
          <h4 className="small bold no-margin">{text("mine")}</h4>
          <ChangeView kind={kind} before={before} after={after} nameOf={nameOf} />
        </div>
        <div className="change-side stack gap-2 pad-3 shrink surface" {...side("theirs")}>
          <h4 className="small bold no-margin">{text("theirs")}</h4>
          <ChangeView kind={kind} before={before} after={live} nameOf={nameOf} />
        </div>
      </div>
    </div>
  );
}
