// One changed resource: its kind and name, the differences, and the actions on it.
import { Link } from "@tanstack/react-router";
import { useId, type ReactNode } from "react";
import { texts } from "../../../i18n/texts.ts";
import { Icon } from "../../../ui/icon.tsx";
import type { DraftChange } from "../drafts.ts";
import { ChangeView, kindIcons, pageOf } from "./change-view.tsx";
import type { NameOf } from "./names.ts";
import "./changes.css";

const text = texts("changes");
const actionKinds = { created: "good", changed: "accent", deleted: "bad" } as const;

type Changed = Pick<DraftChange, "kind" | "id" | "name" | "action" | "before" | "after">;

interface ChangeCardProps {
  change: Changed;
  nameOf: NameOf;
  /** True if its page exists, in the draft or as it is published. */
  isOpenable: boolean;
  actions?: ReactNode;
  /** Replaces the differences, such as two changes of which one is chosen. */
  children?: ReactNode;
}

export function ChangeCard({ change, nameOf, isOpenable, actions, children }: ChangeCardProps) {
  const { kind, id, name, action, before, after } = change;
  const titleId = useId();
  const page = pageOf(kind, id);
  return (
    <li className="card stack gap-3" aria-labelledby={titleId}>
      <header className="cluster gap-2-3">
        <span className="center rigid sunken rounded soft square">
          <Icon name={kindIcons[kind]} />
        </span>
        <div className="change-title">
          <h3 className="break-words" id={titleId}>
            {!isOpenable ? (
              <bdi>{name}</bdi>
            ) : (
              <Link to={page as "/"}>
                <bdi>{name}</bdi>
              </Link>
            )}
          </h3>
          <span className="faint small">{text("kind", { kind })}</span>
        </div>
        <span className="badge" data-kind={actionKinds[action]}>
          {text("action", { action })}
        </span>
        {actions}
      </header>
      {children ?? <ChangeView kind={kind} before={before} after={after} nameOf={nameOf} />}
    </li>
  );
}
