// A part of the settings, with its title and its purpose.
import type { ReactNode } from "react";
import type { Draft } from "./draft.ts";

/** The properties of each section of the form. */
export interface SectionProps {
  id: string;
  draft: Draft;
  errors: Readonly<Record<string, string>>;
  isDisabled: boolean;
}

export function Section({ id, title, about, children }: { id: string; title: string; about?: string; children: ReactNode }) {
  return (
    <section className="card settings-section" aria-labelledby={`settings-${id}`}>
      <header className="stack gap-1">
        <h2 id={`settings-${id}`}>{title}</h2>
        {about === undefined ? null : <p className="faint small">{about}</p>}
      </header>
      <div className="form">{children}</div>
    </section>
  );
}
