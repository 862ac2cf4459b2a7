// The commands of a screen: exactly those that its device supports, why it lacks the others, and those sent before.
import { useMay } from "../../../data/session.ts";
import { texts } from "../../../i18n/texts.ts";
import type { PlayerDetails } from "../data.ts";
import { CommandHistory } from "./command-history.tsx";
import { commandName } from "./command-names.ts";
import { CommandRow } from "./command-row.tsx";
import { commandForms, commandTypes } from "./command-forms.ts";
import { capabilitiesOf } from "./capabilities.ts";

const text = texts("screenCommands");
const commonText = texts("common");
export function CommandsTab({ player }: { player: PlayerDetails }) {
  const may = useMay("commands:write");
  const mayRead = useMay("commands:read");
  const capabilities = capabilitiesOf(player);
  const types = may ? commandTypes.filter((type) => capabilities.commands.includes(type)) : [];
  return (
    <div className="commands grid top gap-5">
      <div className="stack gap-4 shrink">
        <p className="faint">{may ? text("intro") : commonText("notAllowed")}</p>
        {player.status === "offline" ? <p className="strong warn">{text("offline")}</p> : null}
        {player.capabilities === null ? <p className="faint">{text("unknownSupport")}</p> : null}
        {[...Map.groupBy(types, (type) => commandForms[type].group)].map(([name, members]) => (
          <section key={name} className="card" aria-labelledby={`commands-${name}`}>
            <h2 id={`commands-${name}`}>{text(name)}</h2>
            <ul className="command-list">
              {members.map((type) => (
                <CommandRow key={type} type={type} player={player} capabilities={capabilities} />
              ))}
            </ul>
          </section>
        ))}
        {capabilities.unavailable.length === 0 ? null : (
          <details className="card">
            <summary>{text("unsupported")}</summary>
            <dl className="command-values stack gap-1 small">
              {capabilities.unavailable.map(({ type, reason }) => (
                <div className="grid gap-3" key={type}>
                  <dt className="soft">{commandName(type)}</dt>
                  <dd className="break-words">{reason}</dd>
                </div>
              ))}
            </dl>
          </details>
        )}
      </div>
      {mayRead ? <CommandHistory id={player.id} /> : null}
    </div>
  );
}
