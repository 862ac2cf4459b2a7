// A part of a page with a heading, an explanation and actions.
import { useId, type ReactNode } from "react";
import "./section.css";

interface SectionProps {
  title: string;
  text?: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function Section({ title, text, actions, children }: SectionProps) {
  const id = useId();
  return (
    <section className="section stack gap-3 shrink" aria-labelledby={id}>
      <header className="section-header wrap bottom between gap-3">
        <div>
          <h2 className="break-words" id={id}>
            {title}
          </h2>
          {text === undefined ? null : <p className="faint">{text}</p>}
        </div>
        {actions === undefined ? null : <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
