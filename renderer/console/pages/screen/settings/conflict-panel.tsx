// Shows the values that the person and somebody else have given the same setting, and lets the person choose.
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { capabilitiesOf } from "../commands/capabilities.ts";
import type { Draft, SettingName, Settings } from "./draft.ts";
import { recurringText } from "./recurring/recurring.ts";

const text = texts("screenSettings");

export function ConflictPanel({ draft, server }: { draft: Draft; server: Settings }) {
  return (
    <section className="draft-conflict stack gap-2" role="alert">
      <h3 className="row gap-2 warn">
        <Icon name="warning" /> {text("mergedTitle")}
      </h3>
      <p>{text("merged")}</p>
      {draft.conflicts.map((name) => (
        <dl key={name} className="conflict-sides grid gap-2" aria-label={text(name)}>
          <div className="stack top gap-1 pad-2-3 outlined break-words rounded">
            <dt className="small faint">{text("mine")}</dt>
            <dd>{shownValue(name, draft.settings)}</dd>
            <dd>
              <Button size="small" aria-label={text("keepMine", { setting: text(name) })} onPress={() => draft.keep(name)}>
                {text("keepMine", { setting: text(name) })}
              </Button>
            </dd>
          </div>
          <div className="stack top gap-1 pad-2-3 outlined break-words rounded">
            <dt className="small faint">{text("theirs")}</dt>
            <dd>{shownValue(name, server)}</dd>
            <dd>
              <Button size="small" aria-label={text("takeTheirs", { setting: text(name) })} onPress={() => draft.drop(name)}>
                {text("takeTheirs", { setting: text(name) })}
              </Button>
            </dd>
          </div>
        </dl>
      ))}
    </section>
  );
}

function shownValue(name: SettingName, settings: Settings): string {
  const value = settings[name];
  if (value === null) return text("empty");
  if (typeof value === "string") return name === "orientation" ? text(settings.orientation) : value;
  if (name === "tags") return settings.tags.length === 0 ? text("empty") : settings.tags.join(", ");
  if (name === "recurring_commands") {
    const all = settings.recurring_commands.map((each) => recurringText(each, [], capabilitiesOf({ capabilities: null })));
    return all.length === 0 ? text("empty") : all.join("; ");
  }
  return Object.entries(value)
    .map(([key, each]) => `${key.replaceAll("_", " ")}: ${typeof each === "object" ? JSON.stringify(each) : String(each)}`)
    .join("; ");
}
