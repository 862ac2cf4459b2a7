// One enrolment key in the list.
import { enrolment } from "../../i18n/en/enrolment.ts";
import { formatDateTime } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { EnrolmentKey } from "./keys.ts";

const text = texts(enrolment);
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
  const { name, status, used_count: used, max_count: max, last_refusal: refusal } = key;
  const isOver = status === "revoked";
  return (
    <li className="card enrolment-key" data-status={status}>
      <div className="enrolment-key-head">
        <h2>{name}</h2>
        <span className="badge" data-kind={statuses[status].kind}>
          {text(statuses[status].name)}
        </span>
        {isOver || onChange === undefined || onRevoke === undefined ? null : (
          <div className="enrolment-key-actions">
            <Button size="small" aria-label={text("changeNamed", { name })} onPress={onChange}>
              {text("change")}
            </Button>
            <Button size="small" aria-label={text("revokeNamed", { name })} onPress={onRevoke}>
              {text("revoke")}
            </Button>
          </div>
        )}
      </div>
      <div className="enrolment-key-use">
        <progress max={max} value={used} aria-label={text("used", { used, max })} />
        <strong>{text("used", { used, max })}</strong>
        {key.returned_count === 0 ? null : <span>{text("returned", { count: key.returned_count })}</span>}
      </div>
      <ul className="enrolment-key-facts">
        <li>{text("names", { pattern: key.name_pattern })}</li>
        {layoutName === null ? null : <li>{layoutName}</li>}
        <li>
          {isOver
            ? text("endedAt", { time: formatDateTime(new Date(key.revoked_at ?? key.expires_at)) })
            : text("validUntil", { time: formatDateTime(new Date(key.expires_at)) })}
        </li>
        <li>{text("hint", { hint: key.hint })}</li>
        {key.last_used_at === null ? null : <li>{text.rich("lastUsed", { time: <Age key="time" time={key.last_used_at} /> })}</li>}
        {key.tags.map((tag) => (
          <li key={tag} className="badge" data-kind="accent">
            <span className="enrolment-tag">{tag}</span>
          </li>
        ))}
      </ul>
      {refusal === null ? null : (
        <div className="enrolment-refusal">
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
