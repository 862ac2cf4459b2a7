// Shows why something failed in the words of the service's answer, which names the remedy.
import { ProblemError } from "../../../sdk/typescript/client.ts";
import { readable } from "../i18n/format.ts";
import { texts } from "../i18n/texts.ts";
import { Icon } from "./icon.tsx";

const text = texts("common");

/** Why something failed, in one text. */
export function reasonOf(error: unknown): string {
  if (error instanceof ProblemError) {
    const details = error.problem.errors?.map(({ detail }) => detail) ?? [];
    return readable(details.length > 0 ? details.join("; ") : error.problem.detail);
  }
  // fetch() gives a TypeError for every reason why it reached nobody.
  return error instanceof TypeError ? text("unreachable") : error instanceof Error ? error.message : String(error);
}

/** The errors of single fields, by the last part of their pointer: for the fields of a form. */
export function fieldErrorsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ProblemError)) return {};
  return Object.fromEntries(
    (error.problem.errors ?? []).map(({ pointer, detail }) => [pointer.slice(pointer.lastIndexOf("/") + 1), readable(detail)]),
  );
}

export function ProblemMessage({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <div className="problem" role="alert">
      <Icon name="warning" />
      <div>
        <p>{reasonOf(error)}</p>
        {error instanceof ProblemError && error.status >= 500 ? (
          <p className="faint">{text("requestId", { id: error.problem.request_id })}</p>
        ) : null}
      </div>
    </div>
  );
}
