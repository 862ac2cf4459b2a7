// The team's drafts: those that wait for somebody, those in work, and those that were published.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../data/client.ts";
import { startDraft, unpublishedDraftsQuery, type DraftEntry } from "../../data/draft.ts";
import { usePagedList } from "../../data/paged.ts";
import { useMay } from "../../data/session.ts";
import { useAct } from "../../data/use-act.ts";
import { texts } from "../../i18n/texts.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { NameDialog } from "../../ui/name-dialog.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { Section } from "../../ui/section.tsx";
import { Segments } from "../../ui/segments.tsx";
import type { DraftsSearch } from "./routes.ts";
import "./drafts.css";

const text = texts("drafts");

export function DraftsPage() {
  const { show }: DraftsSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const mayWrite = useMay("drafts:write");
  const [isCreating, setIsCreating] = useState(false);
  const creating = useAct({
    run: startDraft,
    changes: ["drafts"],
    toast: ({ name }) => ({ message: text("entered", { name }) }),
    after: ({ id }) => void navigate({ to: "/drafts/$id", params: { id } }),
    showsErrors: true,
  });
  const create = mayWrite ? (
    <Button kind="primary" onPress={() => setIsCreating(true)}>
      <Icon name="plus" />
      {text("create")}
    </Button>
  ) : null;
  return (
    <Page title={text("title")} actions={create}>
      <div className="draft-view">
        <Segments
          isLabelHidden
          label={text("view")}
          value={show ?? "work"}
          onChange={(next) => void navigate({ to: "/drafts", search: { show: next === "published" ? next : undefined } })}
          options={[
            { id: "work", name: text("inWork") },
            { id: "published", name: text("published") },
          ]}
        />
      </div>
      {show === "published" ? <PublishedDrafts /> : <UnpublishedDrafts />}
      <NameDialog
        title={text("create")}
        label={text("name")}
        name=""
        action={text("createDo")}
        isOpen={isCreating}
        onClose={() => setIsCreating(false)}
        act={creating}
      />
    </Page>
  );
}

function UnpublishedDrafts() {
  const { data, error } = useQuery(unpublishedDraftsQuery);
  if (data === undefined) return <ProblemMessage error={error} />;
  if (data.length === 0) return <EmptyState icon="draft" title={text("emptyTitle")} text={text("emptyText")} />;
  const parts = (["proposed", "returned", "open"] as const).map((state) => ({ state, all: data.filter((each) => each.state === state) }));
  const titles = { proposed: "waiting", returned: "returned", open: "open" } as const;
  return (
    <>
      {parts.map(({ state, all }) =>
        all.length === 0 ? null : (
          <Section key={state} title={text(titles[state])}>
            <DraftList all={all} />
          </Section>
        ),
      )}
    </>
  );
}

function PublishedDrafts() {
  const { items, error, hasMore, isReadingMore, readMore } = usePagedList(
    ["drafts", "published"],
    async (cursor) => {
      const query = { state: "published" as const, limit: 50, ...(cursor === undefined ? {} : { cursor }) };
      return (await client.get("/api/v1/drafts", { params: { query } })).data;
    },
    { isKeptFresh: true },
  );
  return (
    <>
      <ProblemMessage error={error} />
      {items?.length === 0 ? <p className="faint">{text("publishedEmpty")}</p> : null}
      {items === undefined || items.length === 0 ? null : <DraftList all={items} />}
      {hasMore ? (
        <div className="form-end cluster end gap-3">
          <Button isPending={isReadingMore} onPress={readMore}>
            {text("showMore")}
          </Button>
        </div>
      ) : null}
    </>
  );
}

function DraftList({ all }: { all: readonly DraftEntry[] }) {
  return (
    <ul className="stack gap-2">
      {all.map(
        ({ id, name, state, created_by: by, change_count: count, proposed_at: proposedAt, updated_at: at, word, decided_by, version }) => (
          <li key={id}>
            <Link to="/drafts/$id" params={{ id }} className="draft-link row box gap-3 pad-3-4 plain-link inherit-ink">
              <span className="draft-sign center rigid sunken rounded soft square" data-state={state}>
                <Icon name={state === "published" ? "check" : "draft"} />
              </span>
              <span className="draft-facts stack grow shrink">
                <bdi className="draft-name">{name}</bdi>
                <span className="faint small">
                  {state === "published" && version !== null ? null : `${text("changes", { count })} · `}
                  {text("by", { name: by?.name ?? text("unknownPerson") })} · {text(state === "proposed" ? "proposed" : "changed")}{" "}
                  <Age time={state === "proposed" && proposedAt !== null ? proposedAt : at} />
                </span>
                {state === "returned" && word !== null ? (
                  <span className="small warn break-words">{text("word", { name: decided_by?.name ?? text("unknownPerson"), word })}</span>
                ) : null}
              </span>
              {version === null ? null : <span className="badge">{text("versionNumber", { number: String(version) })}</span>}
              <span className="icon-directed">
                <Icon name="chevronEnd" />
              </span>
            </Link>
          </li>
        ),
      )}
    </ul>
  );
}
