// One enrolment key in the list.
import { formatDateTime } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { EnrolmentKey } from "./keys.ts";

const text = texts("enrolment");
const statuses = {
  active: { name: "statusActive", kind: "good" },
  "used-up": { name: "statusUsedUp", kind: "warn" },
  expired: { name: "statusExpired", kind: "off" },
  revoked: { name: "statusRevoked", kind: "off" },
} as const;

interface KeyCardProps {
  enrolmentKey: EnrolmentKey;
  layoutName: string | null;
  /** Missing: the person may not. */
  onChange?: () => void;
  onRevoke?: () => void;
}

export function KeyCard({ enrolmentKey: key, layoutName, onChange, onRevoke }: KeyCardProps) {
  const { name, status, used_count: useCount, max_count: max, last_refusal: refusal } = key;
  const isOver = status === "revoked";
  return (
    <li className="card enrolment-key" data-status={status}>
      <div className="cluster gap-2">
        <h2 className="shrink break-words">{name}</h2>
        <span className="badge" data-kind={statuses[status].kind}>
          {text(statuses[status].name)}
        </span>
        {isOver || onChange === undefined || onRevoke === undefined ? null : (
          <div className="enrolment-key-actions flex gap-2 push-end">
            <Button size="small" aria-label={text("changeNamed", { name })} onPress={onChange}>
              {text("change")}
            </Button>
            <Button size="small" aria-label={text("revokeNamed", { name })} onPress={onRevoke}>
              {text("revoke")}
            </Button>
          </div>
        )}
      </div>
      <div className="enrolment-key-use cluster gap-3 digits">
        <progress max={max} value={useCount} aria-label={text("used", { used: useCount, max })} />
        <strong>{text("used", { used: useCount, max })}</strong>
        {key.returned_count === 0 ? null : <span>{text("returned", { count: key.returned_count })}</span>}
      </div>
      <ul className="wrap gap-1-4 small soft">
        <li className="shrink break-words max-full">{text("names", { pattern: key.name_pattern })}</li>
        {layoutName === null ? null : <li className="shrink break-words max-full">{layoutName}</li>}
        <li className="shrink break-words max-full">
          {isOver
            ? text("endedAt", { time: formatDateTime(new Date(key.revoked_at ?? key.expires_at)) })
            : text("validUntil", { time: formatDateTime(new Date(key.expires_at)) })}
        </li>
        <li className="shrink break-words max-full">{text("hint", { hint: key.hint })}</li>
        {key.last_used_at === null ? null : (
          <li className="shrink break-words max-full">{text.rich("lastUsed", { time: <Age key="time" time={key.last_used_at} /> })}</li>
        )}
        {key.tags.map((tag) => (
          <li key={tag} className="badge shrink break-words max-full" data-kind="accent">
            <span className="enrolment-tag">{tag}</span>
          </li>
        ))}
      </ul>
      {refusal === null ? null : (
        <div className="flex gap-2 pad-2-3 rounded small warn break-words warn-ground">
          <Icon name="warning" />
          <p>
            {text.rich("refusals", {
              count: key.refused_count,
              reason: refusal.detail,
              address: refusal.address,
              serial: refusal.serial ?? text("unknown"),
              time: <Age key="time" time={refusal.at} />,
            })}
          </p>
        </div>
      )}
    </li>
  );
}
