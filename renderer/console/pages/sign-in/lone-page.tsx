// A page without navigation around it, for people who are not signed in: a card with the title.
import { useEffect, type ReactNode } from "react";
import { Icon } from "../../ui/icon.tsx";
import "./sign-in.css";

export function LonePage({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div className="lone-page center pad-4">
      <main className="card lone-card stack gap-5 full-width">
        <header className="stack gap-3">
          <span className="sign-in-brand center tint rounded-l accent">
            <Icon name="brand" />
          </span>
          <h1>{title}</h1>
        </header>
        {children}
      </main>
    </div>
  );
}
