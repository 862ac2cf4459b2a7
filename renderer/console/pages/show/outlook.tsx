// Tells the effect of showing something: which screens at once, which later, and the obstacles.
import { readable } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Icon } from "../../ui/icon.tsx";
import type { Show } from "./shows.ts";

const text = texts("show");
const shownNames = 4;
// The service's words speak of commands and players.
const ownWords = { overridden: "overridden", "no-players": "noScreens" } as const;

export function Outlook({ outlook }: { outlook: Show | undefined }) {
  if (outlook === undefined) return null;
  const { players, player_count: all, warnings, next_at } = outlook;
  const offline = players.filter(({ status }) => status === "offline").length;
  // The service lists the first 100 screens; the others are counted as online, and its warning names how many are not.
  const online = all - offline;
  const others = warnings.filter(({ code }) => code !== "offline" && code !== "open-ended");
  const names = players.filter(({ status }) => status === "online").map(({ name }) => name);
  const nameList = names.slice(0, shownNames).join(", ");
  return (
    <section className="outlook stack gap-2 pad-3-4 sunken rounded" aria-label={text("outlook")}>
      <p className="outlook-line flex gap-2 break-words" data-kind={online > 0 ? "good" : "off"}>
        <Icon name={online > 0 ? "check" : "clock"} />
        <span>
          {next_at === null ? text("outlookNever") : text("outlookNow", { count: online })}
          {nameList === "" ? null : (
            <span className="faint">
              {" · "}
              <bdi>{nameList}</bdi>
              {online > shownNames ? ` ${text("andMore", { count: online - shownNames })}` : ""}
            </span>
          )}
        </span>
      </p>
      {offline === 0 ? null : (
        <p className="outlook-line flex gap-2 break-words" data-kind="off">
          <Icon name="offline" />
          <span>{text("outlookOffline", { count: offline })}</span>
        </p>
      )}
      {others.map(({ code, message }) => (
        <p key={code + message} className="outlook-line flex gap-2 break-words" data-kind="warn">
          <Icon name="warning" />
          <span>{code in ownWords ? text(ownWords[code as keyof typeof ownWords]) : readable(message)}</span>
        </p>
      ))}
    </section>
  );
}
