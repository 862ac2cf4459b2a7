// The placeholder of an empty list: the kind of thing that belongs there, and how to begin.
import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import type { IconName } from "./icon-paths.ts";

export interface EmptyStateProps {
  title: string;
  text?: string;
  icon?: IconName;
  /** It takes the place of a whole page: its title is the page's. */
  isPage?: boolean;
  children?: ReactNode;
}

export function EmptyState({ title, text, icon, isPage = false, children }: EmptyStateProps) {
  return (
    <section className="empty-state stack middle gap-3 text-center">
      {icon === undefined ? null : (
        <span className="empty-icon center tint rounded-l accent">
          <Icon name={icon} />
        </span>
      )}
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {text === undefined ? null : <p>{text}</p>}
      {children === undefined ? null : <div className="wrap gap-2 above-2 centered">{children}</div>}
    </section>
  );
}
