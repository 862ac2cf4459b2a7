// What an operation is called in the audit log.
import { auditActions } from "../../../i18n/en/audit-actions.ts";
import { texts } from "../../../i18n/texts.ts";

const text = texts(auditActions);

type Action = keyof typeof auditActions;

/** All actions that have a name, in the order of their names. */
export const actions: readonly { id: Action; name: string }[] = (Object.keys(auditActions) as Action[])
  .map((id) => ({ id, name: text(id) }))
  .toSorted((a, b) => a.name.localeCompare(b.name));

/** The name of an action; of one that a newer service knows, its operationId. */
export function actionName(action: string): string {
  return actions.find(({ id }) => id === action)?.name ?? action;
}
