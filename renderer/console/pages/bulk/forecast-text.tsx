// Puts the effect of an action on many screens into words, by the service's dry run.
import { readable } from "../../i18n/format.ts";
import type { MessageKey } from "../../i18n/catalogue.ts";
import { texts } from "../../i18n/texts.ts";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import type { Forecast } from "./outcomes.ts";
import { ScreenName } from "./screen-name.tsx";

const text = texts("bulk");
const mostNamed = 5;

interface ForecastTextProps {
  isChosen: boolean;
  isChecking: boolean;
  forecast: Forecast | undefined;
  error: unknown;
  word: MessageKey<"bulk", { count: number }>;
}

export function ForecastText({ isChosen, isChecking, forecast, error, word }: ForecastTextProps) {
  return (
    <section className="stack gap-2 pad-3-4 sunken rounded" aria-label={text("previewTitle")}>
      <h3 className="small faint">{text("previewTitle")}</h3>
      <div role="status">
        {!isChosen ? <p className="faint">{text("previewNothing")}</p> : null}
        {isChosen && isChecking ? <p className="faint">{text("previewChecking")}</p> : null}
        {isChosen && !isChecking && forecast !== undefined ? <Words forecast={forecast} word={word} /> : null}
      </div>
      {isChosen ? <ProblemMessage error={error} /> : null}
    </section>
  );
}

function Words({ forecast: { affectedCount, same, failures }, word }: { forecast: Forecast; word: MessageKey<"bulk", { count: number }> }) {
  return (
    <>
      <p>
        <strong>{affectedCount === 0 ? text("previewNone") : text(word, { count: affectedCount })}</strong>
        {same === 0 ? null : ` ${text("previewSame", { count: same })}`}
      </p>
      {failures.length === 0 ? null : (
        <>
          <p className="bad above-2">{text("previewFailed", { count: failures.length })}</p>
          <ul className="small break-words">
            {failures.slice(0, mostNamed).map(({ id, reason }) => (
              <li key={id}>
                <ScreenName id={id} />: {readable(reason)}
              </li>
            ))}
            {failures.length > mostNamed ? <li>{text("previewMore", { count: failures.length - mostNamed })}</li> : null}
          </ul>
        </>
      )}
    </>
  );
}
