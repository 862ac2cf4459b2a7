// The commands that a screen runs by itself at times of the day: a list in words, to add to, change and remove.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { calendarsQuery } from "../../../../data/calendars.ts";
import { texts } from "../../../../i18n/texts.ts";
import { Button } from "../../../../ui/button.tsx";
import { Icon } from "../../../../ui/icon.tsx";
import { Switch } from "../../../../ui/switch.tsx";
import { capabilitiesOf } from "../../commands/capabilities.ts";
import type { PlayerDetails } from "../../data.ts";
import { Section, type SectionProps } from "../section.tsx";
import { RecurringDialog } from "./recurring-dialog.tsx";
import { recurringText, type Recurring } from "./recurring.ts";

const text = texts("screenSettings");
/** How many a screen can have. */
const mostCommands = 50;

export function RecurringSection({ draft: { settings, set }, isDisabled, player }: SectionProps & { player: PlayerDetails }) {
  const { recurring_commands: all } = settings;
  const { data: calendars = [] } = useQuery(calendarsQuery);
  const capabilities = capabilitiesOf(player);
  const [editTarget, setEditTarget] = useState<Recurring | "new" | null>(null);
  const change = (next: readonly Recurring[]): void => set("recurring_commands", [...next]);
  return (
    <Section id="recurring" title={text("recurring_commands")} about={text("recurringAbout")}>
      {all.length === 0 ? <p className="faint">{text("recurringNone")}</p> : null}
      <ul className="stack gap-1">
        {all.map((recurring) => {
          const { name, enabled } = recurring;
          return (
            <li key={name} className="recurring row gap-3 pad-block-2 line-below">
              <Switch
                aria-label={text("recurringOn", { name })}
                isSelected={enabled}
                isDisabled={isDisabled}
                onChange={(isOn) => change(all.map((each) => (each === recurring ? { ...each, enabled: isOn } : each)))}
              />
              <div className="recurring-words stack grow shrink break-words" data-off={!enabled}>
                <span>{recurringText(recurring, calendars, capabilities)}</span>
                <span className="faint small">{name}</span>
              </div>
              {isDisabled ? null : (
                <div className="flex gap-1 rigid">
                  <Button size="small" aria-label={text("recurringEdit", { name })} onPress={() => setEditTarget(recurring)}>
                    <Icon name="edit" />
                  </Button>
                  <Button
                    kind="quiet"
                    size="small"
                    aria-label={text("recurringRemove", { name })}
                    onPress={() => change(all.filter((each) => each !== recurring))}
                  >
                    <Icon name="trash" />
                  </Button>
                </div>
              )}
            </li>
          );
        })}
      </ul>
      {isDisabled || all.length >= mostCommands ? null : (
        <div>
          <Button size="small" onPress={() => setEditTarget("new")}>
            <Icon name="plus" /> {text("recurringAdd")}
          </Button>
        </div>
      )}
      {editTarget === null ? null : (
        <RecurringDialog
          recurring={editTarget === "new" ? null : editTarget}
          otherNames={all.filter((each) => each !== editTarget).map(({ name }) => name)}
          calendars={calendars}
          capabilities={capabilities}
          onClose={() => setEditTarget(null)}
          onDone={(next) => {
            change(editTarget === "new" ? [...all, next] : all.map((each) => (each === editTarget ? next : each)));
            setEditTarget(null);
          }}
        />
      )}
    </Section>
  );
}
