// Chooses the events that a webhook gets: all, or single ones by group.
import type { EventType } from "../../../../../src/protocol/operator/events.ts";
import { EventType as eventType } from "../../../../../src/protocol/operator/events.ts";
import { texts } from "../../../i18n/texts.ts";
import { Checkbox } from "../../../ui/checkbox.tsx";
import { Icon } from "../../../ui/icon.tsx";
import type { Webhook } from "./webhook-status.tsx";

const text = texts("webhooks");

type Events = Webhook["events"];

/** The groups of events by the first part of their type. */
const groups = [
  ["alert", "groupAlert"],
  ["player", "groupPlayer"],
  ["problem", "groupProblem"],
  ["command", "groupCommand"],
  ["batch", "groupBatch"],
  ["screenshot", "groupScreenshot"],
  ["asset", "groupAsset"],
  ["playlist", "groupPlaylist"],
  ["layout", "groupLayout"],
  ["schedule", "groupSchedule"],
  ["calendar", "groupCalendar"],
  ["rollout", "groupRollout"],
  ["webhook", "groupWebhook"],
] as const;

const typesOf = (noun: string): EventType[] => eventType.options.filter((type) => type.startsWith(`${noun}.`));

export function EventField({ value, onChange }: { value: Events; onChange: (events: Events) => void }) {
  const isAll = value.includes("*");
  const set = (types: readonly EventType[], isChosen: boolean): void => {
    const others = value.filter((each) => each !== "*" && !types.includes(each));
    onChange(isChosen ? [...others, ...types] : others);
  };
  return (
    <fieldset className="scopes stack gap-2 shrink no-padding no-margin">
      <legend className="strong no-padding">{text("events")}</legend>
      <Checkbox isSelected={isAll} onChange={(all) => onChange(all ? ["*"] : [])}>
        {text("allEvents")}
      </Checkbox>
      {isAll ? null : (
        <div className="lined outlined rounded">
          {groups.map(([noun, name]) => {
            const types = typesOf(noun);
            const selection = types.filter((type) => value.includes(type));
            return (
              <details key={noun} className="event-group" open={selection.length > 0 && selection.length < types.length}>
                <summary className="row gap-2 pointer">
                  <Icon name="chevronDown" />
                  <span>{text(name)}</span>
                  <span className="faint digits push-end">
                    {selection.length}/{types.length}
                  </span>
                </summary>
                <Checkbox
                  isSelected={selection.length === types.length}
                  isIndeterminate={selection.length > 0 && selection.length < types.length}
                  onChange={(isChosen) => set(types, isChosen)}
                >
                  {text("allOf", { name: text(name) })}
                </Checkbox>
                {types.map((type) => (
                  <Checkbox key={type} isSelected={value.includes(type)} onChange={(isChosen) => set([type], isChosen)}>
                    <span className="mono">{type}</span>
                  </Checkbox>
                ))}
              </details>
            );
          })}
        </div>
      )}
    </fieldset>
  );
}
