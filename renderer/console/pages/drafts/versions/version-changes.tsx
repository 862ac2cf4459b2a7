// The changes of a version, each resource before and after.
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Section } from "../../../ui/section.tsx";
import { ChangeCards } from "../changes/change-cards.tsx";
import { ChangeCard } from "../changes/change-card.tsx";
import { useNames } from "../changes/names.ts";
import type { Restoration, Version } from "../drafts.ts";

const text = texts("versions");

interface VersionChangesProps {
  version: Version;
  /** Asks before one resource goes back to this version; null: it is the newest, or the person may not do it. */
  onRestore: ((restoration: Restoration) => void) | null;
}

export function VersionChanges({ version: { number, changes }, onRestore }: VersionChangesProps) {
  const nameOf = useNames(changes);
  return (
    <Section title={text("whatChanged")}>
      <ChangeCards
        changes={changes}
        card={(change) => {
          const { kind, id, name } = change;
          return (
            <ChangeCard
              key={id}
              change={change}
              nameOf={nameOf}
              isOpenable={change.after !== null}
              actions={
                onRestore === null ? null : (
                  <Button
                    size="small"
                    aria-label={text("goBackOnlyOf", { name })}
                    onPress={() => onRestore({ number, only: { kind, id, name } })}
                  >
                    {text("goBackOnly")}
                  </Button>
                )
              }
            />
          );
        }}
      />
    </Section>
  );
}
