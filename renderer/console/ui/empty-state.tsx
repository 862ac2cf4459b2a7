// What a list shows before there is anything in it: what belongs here, and how to begin.
import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

export function EmptyState({ title, text, icon, children }: { title: string; text?: string; icon?: IconName; children?: ReactNode }) {
  return (
    <section className="empty-state">
      {icon === undefined ? null : (
        <span className="empty-icon">
          <Icon name={icon} />
        </span>
      )}
      <h2>{title}</h2>
      {text === undefined ? null : <p>{text}</p>}
      {children === undefined ? null : <div className="empty-actions">{children}</div>}
    </section>
  );
}
