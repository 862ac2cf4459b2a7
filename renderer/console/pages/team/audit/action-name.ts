// The name of an operation in the audit log.
import { texts } from "../../../i18n/texts.ts";

const text = texts("auditActions");

/** All actions that have a name, in the order of their names. */
export const actions: readonly { id: string; name: string }[] = text
  .keys()
  .map((id) => ({ id, name: text(id) }))
  .toSorted((a, b) => a.name.localeCompare(b.name));

/** The name of an action; of one that a newer service knows, its operationId. */
export function actionName(action: string): string {
  return actions.find(({ id }) => id === action)?.name ?? action;
}
