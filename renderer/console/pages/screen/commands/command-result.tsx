// The result of a command: a picture, a log, a diagnosis, or values.
import { fileUrl } from "../../../data/client.ts";
import { readable } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Icon } from "../../../ui/icon.tsx";
import type { Command } from "../data.ts";

const text = texts("screenCommands");
const checkKinds = { ok: "good", warning: "warn", failed: "bad", skipped: undefined } as const;
const checkNames = { ok: "checkOk", warning: "checkWarning", failed: "checkFailed", skipped: "checkSkipped" } as const;

interface CheckReport {
  name: string;
  is: keyof typeof checkKinds;
  detail: string;
}

export function CommandResult({ command: { type, result } }: { command: Command }) {
  if (result === null || Object.keys(result).length === 0) return null;
  const { screenshot_id: picture, log_id: log, checks } = result;
  if (type === "screenshot" && typeof picture === "string") {
    return (
      <img
        className="command-picture rounded self-start"
        src={fileUrl(`/api/v1/screenshots/${encodeURIComponent(picture)}/image`)}
        alt={text("screenshotAlt")}
      />
    );
  }
  if (type === "logs.collect" && typeof log === "string") {
    return (
      <a className="button" href={fileUrl(`/api/v1/logs/${encodeURIComponent(log)}`)} download={`${log}.log`}>
        <Icon name="download" /> {text("downloadLog")}
      </a>
    );
  }
  if (type === "diagnose" && Array.isArray(checks)) return <Checks checks={checks.filter(isCheck)} />;
  return (
    <dl className="command-values stack gap-1 small" aria-label={text("result")}>
      {Object.entries(result).map(([name, value]) => (
        <div className="grid gap-3" key={name}>
          <dt className="soft">{name.replaceAll("_", " ")}</dt>
          <dd className="break-words">{readable(typeof value === "string" ? value : JSON.stringify(value))}</dd>
        </div>
      ))}
    </dl>
  );
}

function Checks({ checks }: { checks: readonly CheckReport[] }) {
  return (
    <div className="table-scroll">
      <table className="table full-width small">
        <caption className="visually-hidden">{text("checks")}</caption>
        <thead>
          <tr>
            <th scope="col">{text("checkName")}</th>
            <th scope="col">{text("checkIs")}</th>
            <th scope="col">{text("checkDetail")}</th>
          </tr>
        </thead>
        <tbody>
          {checks.map(({ name, is, detail }) => (
            <tr key={name}>
              <th scope="row">{name.replaceAll("_", " ")}</th>
              <td>
                <span className="badge" data-kind={checkKinds[is]}>
                  {text(checkNames[is])}
                </span>
              </td>
              <td>{readable(detail)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A device may be newer than this console. */
function isCheck(value: unknown): value is CheckReport {
  const check = value as Partial<CheckReport> | null;
  return typeof check?.name === "string" && typeof check.detail === "string" && typeof check.is === "string" && check.is in checkKinds;
}
