// A draft: its changes, their effect on the screens, and deciding about it; afterwards, where it has arrived.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { draftQuery, enterDraft, useDraft, type Draft, type VersionedDraft } from "../../data/draft.ts";
import { texts } from "../../i18n/texts.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { Section } from "../../ui/section.tsx";
import { tellFailure } from "../../ui/toasts.tsx";
import { Arrival } from "./arrival.tsx";
import { useNames } from "./changes/names.ts";
import { DraftActions } from "./acts/draft-actions.tsx";
import { DraftChanges } from "./draft-changes.tsx";
import { DraftState } from "./draft-state.tsx";
import { effectQuery, versionQuery, type Decisions } from "./drafts.ts";
import { Effect } from "./effect.tsx";
import { useDraftRights } from "./acts/rights.ts";
import { VersionChanges } from "./versions/version-changes.tsx";
import "./drafts.css";

const text = texts("drafts");

export function DraftPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data, error } = useQuery(draftQuery(id));
  const [decisions, setDecisions] = useState<Decisions>(new Map());
  return (
    <Page
      title={data?.draft.name ?? text("title")}
      actions={data === undefined ? undefined : <DraftActions current={data} decisions={decisions} />}
    >
      <div className="cluster between gap-2-4 near-title">
        <Link to="/drafts" className="inline-row medium tap">
          {text("back")}
        </Link>
        {data === undefined ? null : <Facts draft={data.draft} />}
      </div>
      <ProblemMessage error={error} />
      {data === undefined ? null : <Content current={data} decisions={decisions} onDecide={setDecisions} />}
    </Page>
  );
}

function Facts({ draft: { state, created_by: by, updated_at: at, version } }: { draft: Draft }) {
  return (
    <p className="faint draft-facts-line cluster gap-1-3 small">
      <DraftState state={state} />
      <span>{text("madeBy", { name: by?.name ?? text("unknownPerson") })}</span>
      <span>
        {text("changed")} <Age time={at} />
      </span>
      {version === null ? null : (
        <span>
          {text.rich("publishedAs", {
            number: version,
            link: (parts) => (
              <Link key="version" to="/versions/$number" params={{ number: String(version) }}>
                {parts}
              </Link>
            ),
          })}
        </span>
      )}
    </p>
  );
}

interface ContentProps {
  current: VersionedDraft;
  decisions: Decisions;
  onDecide: (decisions: Decisions) => void;
}

function Content({ current: { draft, etag }, decisions, onDecide }: ContentProps) {
  const { id, state, changes, note, version } = draft;
  const active = useDraft();
  const rights = useDraftRights(draft);
  const nameOf = useNames(changes);
  const effect = useQuery({ ...effectQuery(id, etag), enabled: state !== "published" && changes.length > 0 });
  if (state === "published") return version === null ? <p>{text("publishedNothing")}</p> : <PublishedDraft number={version} />;
  return (
    <>
      <Standing draft={draft} />
      {note === null || note === "" ? null : <p>{note}</p>}
      {changes.length === 0 ? (
        <EmptyState icon="draft" title={text("noChanges")} text={text("noChangesText")}>
          {active?.id === id || !rights.mayChange ? null : (
            <Button kind="primary" onPress={() => tellFailure(enterDraft(draft))}>
              {text("work")}
            </Button>
          )}
        </EmptyState>
      ) : (
        <>
          <Effect result={effect} />
          <Section title={text("whatChanges")}>
            <DraftChanges draft={draft} nameOf={nameOf} decisions={decisions} onDecide={onDecide} mayChange={rights.mayChange} />
          </Section>
        </>
      )}
    </>
  );
}

/** The published changes of it, and where they have arrived. */
function PublishedDraft({ number }: { number: number }) {
  const { data, error } = useQuery(versionQuery(String(number)));
  return (
    <>
      <Arrival number={number} />
      <ProblemMessage error={error} />
      {data === undefined ? null : <VersionChanges version={data} onRestore={null} />}
    </>
  );
}

/** The next step with a proposal, and by whom, or the words with which it was returned. */
function Standing({ draft }: { draft: Draft }) {
  const { state, word, decided_by: by } = draft;
  const { mayDecide } = useDraftRights(draft);
  if (state === "proposed") return <p>{text(mayDecide ? "waitsForYou" : "waitsForOther")}</p>;
  if (state !== "returned" || word === null) return null;
  return (
    <blockquote className="draft-returned pad-3-4 rounded-s break-words no-margin warn-ground">
      <p className="faint">{text("returnedBy", { name: by?.name ?? text("unknownPerson") })}</p>
      <p>{word}</p>
    </blockquote>
  );
}
