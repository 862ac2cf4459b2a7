// Everything that the audit log has about one change.
import type { ReactNode } from "react";
import type { Schemas } from "../../../../../sdk/typescript/client.ts";
import { formatDateTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { FactList } from "../../../ui/fact-list.tsx";
import { actionName } from "./action-name.ts";

const text = texts("audit");

interface EntryDialogProps {
  entry: Schemas["AuditEntry"];
  person: string;
  onClose: () => void;
}

export function EntryDialog({ entry, person, onClose }: EntryDialogProps) {
  const mono = (value: string | null): ReactNode => (value === null ? text("none") : <span className="mono">{value}</span>);
  const facts: readonly [string, ReactNode][] = [
    [text("what"), actionName(entry.action)],
    [text("who"), person],
    ...(entry.issuer === null ? [] : [[text("issuer"), entry.issuer] satisfies [string, ReactNode]]),
    [text("when"), formatDateTime(new Date(entry.created_at))],
    [text("resource"), mono(entry.resource_id)],
    [text("address"), mono(entry.address)],
    [text("token"), mono(entry.token_id)],
    [text("request"), mono(entry.request_id)],
    [text("before"), mono(entry.before)],
    [text("after"), mono(entry.after)],
    [text("hash"), mono(entry.hash)],
  ];
  return (
    <Dialog title={text("detailsTitle", { seq: entry.seq })} isOpen onClose={onClose}>
      <FactList className="facts stack gap-2" facts={facts} />
    </Dialog>
  );
}
