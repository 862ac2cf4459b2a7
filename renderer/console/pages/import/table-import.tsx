// A table to import, the content that the service would make of it, and the faults of its lines.
import type { ReactNode } from "react";
import { FileTrigger } from "react-aria-components";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { readable } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { tellFailure } from "../../ui/toasts.tsx";
import { saveExample, textOf } from "./examples.ts";

const text = texts("imports");
const words = {
  playlists: { intro: "playlistsIntro", action: "importPlaylists" },
  schedules: { intro: "schedulesIntro", action: "importSchedules" },
} as const;

type SkippedLines = Omit<Schemas["PlaylistImportResult"], "playlists">;

/** One thing that the import makes. */
export interface Found {
  key: string;
  name: ReactNode;
  note: string;
}

interface TableImportProps {
  of: keyof typeof words;
  csv: string;
  onCsv: (csv: string) => void;
  isChecking: boolean;
  error: unknown;
  /** Null: not known yet. */
  matches: readonly Found[] | null;
  /** The faults of the lines that cannot be imported. */
  faults: SkippedLines | undefined;
  isDone: boolean;
  isImporting: boolean;
  onImport: () => void;
  /** Settings of the import. */
  children?: ReactNode;
}

export function TableImport({
  of,
  csv,
  onCsv,
  isChecking,
  error,
  matches,
  faults,
  isDone,
  isImporting,
  onImport,
  children,
}: TableImportProps) {
  const { intro, action } = words[of];
  const isEmpty = csv.trim() === "";
  return (
    <div className="import-part stack gap-5">
      <p className="import-intro">{text(intro)}</p>
      <div className="import-actions wrap bottom gap-2-4">
        <FileTrigger
          acceptedFileTypes={[".csv", ".tsv", ".txt", "text/csv"]}
          onSelect={(files) => {
            const file = files?.[0];
            if (file !== undefined) tellFailure(textOf(file).then(onCsv));
          }}
        >
          <Button kind={isEmpty ? "primary" : "plain"}>
            <Icon name="upload" />
            {text(isEmpty ? "chooseTable" : "chooseOther")}
          </Button>
        </FileTrigger>
        <Button onPress={() => saveExample(of)}>
          <Icon name="download" />
          {text("example")}
        </Button>
      </div>
      <TextField
        label={text(isEmpty ? "paste" : "table")}
        isMultiline
        value={csv}
        onChange={onCsv}
        maxLength={900_000}
        isDisabled={isImporting}
      />
      {children}
      <div role="status">{isChecking ? <p className="faint">{text("checking")}</p> : null}</div>
      <ProblemMessage error={error} />
      {isEmpty || matches === null ? null : (
        <>
          {faults === undefined || faults.skipped_lines === 0 ? null : <FaultTable faults={faults} />}
          <section className="stack gap-3" aria-label={text(isDone ? "done" : "found")}>
            <h2>{text(isDone ? "done" : "found")}</h2>
            {matches.length === 0 ? <p className="faint">{text("nothing")}</p> : null}
            <ul className="stack">
              {matches.map(({ key, name, note }) => (
                <li className="wrap between gap-1-4 pad-block-2 line-below" key={key}>
                  <span className="shrink strong break-words">{name}</span>
                  <span className="faint">{note}</span>
                </li>
              ))}
            </ul>
          </section>
          {isDone ? (
            <div className="form-end cluster end gap-3">
              <Button onPress={() => onCsv("")}>{text("another")}</Button>
            </div>
          ) : matches.length === 0 ? null : (
            <div className="form-end cluster end gap-3">
              <Button kind="primary" onPress={onImport} isPending={isImporting} isDisabled={isChecking}>
                {text(action, { count: matches.length })}
                {faults === undefined || faults.skipped_lines === 0 ? "" : ` ${text("withoutFaults")}`}
              </Button>
            </div>
          )}
        </>
      )}
    </div>
  );
}

function FaultTable({ faults: { skipped, skipped_lines: lines, more_skipped: more } }: { faults: SkippedLines }) {
  return (
    <section className="import-faults stack gap-3" aria-label={text("faults", { count: lines })}>
      <h2 className="row gap-2">
        <Icon name="warning" />
        {text("faults", { count: lines })}
      </h2>
      <p className="faint">{text("faultsText")}</p>
      <table className="full-width small">
        <thead>
          <tr>
            <th scope="col">{text("line")}</th>
            <th scope="col">{text("column")}</th>
            <th scope="col">{text("remedy")}</th>
          </tr>
        </thead>
        <tbody>
          {skipped.map(({ line, column, detail }) => (
            <tr key={`${line} ${column} ${detail}`}>
              <td>{line}</td>
              <td>{column ?? text("wholeLine")}</td>
              <td>{readable(detail)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 ? <p className="faint">{text("faultsMore", { count: more })}</p> : null}
    </section>
  );
}
