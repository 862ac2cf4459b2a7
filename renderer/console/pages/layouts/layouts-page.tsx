// All layouts of the team, each with a little picture of its zones.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAct } from "../../data/use-act.ts";
import { useUnsavedEdit } from "../../data/unsaved-edits.ts";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { MenuButton } from "../../ui/menu-button.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { useIsOfShow } from "../show/shows.ts";
import { LayoutPicture } from "./layout-picture.tsx";
import { copyLayout, copyTurned, deleteLayout, layoutsQuery, restoreLayout, type Layout } from "./layouts.ts";
import { toEdited } from "./model/edited-layout.ts";
import { isDirty, type Editor } from "./model/editor.ts";
import { NewLayoutDialog } from "./new-layout-dialog.tsx";
import "./layouts.css";

const text = texts("layouts");
const longestName = 200;

export function LayoutsPage() {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(layoutsQuery);
  const mayWrite = useMay("layouts:write");
  const [isCreating, setIsCreating] = useState(false);
  const isOfShow = useIsOfShow();
  const all = data?.pages.flatMap((page) => page.data).filter(({ id }) => !isOfShow(id));
  const create = mayWrite ? (
    <Button kind="primary" onPress={() => setIsCreating(true)}>
      <Icon name="plus" />
      {text("create")}
    </Button>
  ) : null;
  return (
    <Page title={text("title")} actions={all?.length === 0 ? null : create}>
      <ProblemMessage error={error} />
      {all?.length === 0 ? (
        <EmptyState icon="layout" title={text("emptyTitle")} text={text("emptyText")}>
          {create}
        </EmptyState>
      ) : null}
      <ul className="layout-cards grid gap-4">
        {all?.map((layout) => (
          <li key={layout.id}>
            <LayoutCard layout={layout} mayWrite={mayWrite} />
          </li>
        ))}
      </ul>
      {hasNextPage ? (
        <div className="form-end cluster end gap-3">
          <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {text("showMore")}
          </Button>
        </div>
      ) : null}
      {isCreating ? <NewLayoutDialog onClose={() => setIsCreating(false)} /> : null}
    </Page>
  );
}

function LayoutCard({ layout, mayWrite }: { layout: Layout; mayWrite: boolean }) {
  const { id, name, width, height, background_color, updated_at } = layout;
  const editor = useUnsavedEdit(id) as Editor | undefined;
  const isUnsaved = editor !== undefined && isDirty(editor);
  const zones = toEdited(layout).zones.map((zone) => ({ ...zone, isEmpty: zone.playlist_id === null }));
  return (
    <div className="layout-card grid box relative crop">
      <span className="layout-card-picture center pad-4 whole-row line-below sunken">
        <LayoutPicture width={width} height={height} background={background_color} zones={zones} />
      </span>
      <div className="stack pad-3-4 shrink">
        <Link to="/layouts/$id" params={{ id }} className="layout-card-name truncate plain-link">
          {name}
        </Link>
        {isUnsaved ? (
          <span className="badge self-start" data-kind="warn">
            {text("unsaved")}
          </span>
        ) : null}
        <span className="faint small">{text("facts", { width: String(width), height: String(height), count: zones.length })}</span>
        <span className="faint small">
          {text("changed")} <Age time={updated_at} />
        </span>
      </div>
      {mayWrite ? <LayoutMenu layout={layout} /> : null}
    </div>
  );
}

function LayoutMenu({ layout }: { layout: Layout }) {
  const navigate = useNavigate();
  const open = ({ id }: Layout): void => void navigate({ to: "/layouts/$id", params: { id } });
  const copying = useAct({
    run: () => copyLayout(layout, text("copyName", { name: layout.name }).slice(0, longestName)),
    changes: ["layouts"],
    after: open,
  });
  const isLandscape = layout.width > layout.height;
  const turning = useAct({
    run: () => copyTurned(layout, text(isLandscape ? "portraitName" : "landscapeName", { name: layout.name }).slice(0, longestName)),
    changes: ["layouts"],
    after: open,
  });
  const restoring = useAct({ run: () => restoreLayout(layout), changes: ["layouts"], showsErrors: true });
  const deleting = useAct({
    run: () => deleteLayout(layout),
    changes: ["layouts"],
    toast: () => ({ message: text("deleted", { name: layout.name }), undo: () => restoring.mutateAsync() }),
  });
  const actions = [
    { name: text("copy"), run: () => copying.mutate() },
    { name: text(isLandscape ? "copyPortrait" : "copyLandscape"), run: () => turning.mutate() },
    { name: text("delete"), run: () => deleting.mutate(), kind: "danger" as const },
  ];
  return (
    <span className="layout-card-menu">
      <MenuButton label={text("moreFor", { name: layout.name })} actions={actions} />
    </span>
  );
}
