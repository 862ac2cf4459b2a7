// The frame of a page: its title, its actions, its content. Sets the title of the browser's tab.
import { useEffect, type ReactNode } from "react";
import { texts } from "../i18n/texts.ts";

const text = texts("common");

/** Sets the title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${text("product")}`;
  }, [title]);
}

export function Page({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  useTitle(title);
  return (
    <div className="page stack gap-5">
      <header className="page-header cluster between gap-3">
        <h1 className="shrink crop">{title}</h1>
        {actions === undefined ? null : <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
