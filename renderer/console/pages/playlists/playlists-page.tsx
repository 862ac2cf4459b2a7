// All playlists of the team.
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useRef, useState } from "react";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { formOf } from "../../ui/form.ts";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useIsOfShow } from "../show/shows.ts";
import { createPlaylist, playlistsQuery, type Playlist } from "./playlists.ts";
import "./playlists.css";

const text = texts("playlists");

export function PlaylistsPage() {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(playlistsQuery);
  const mayWrite = useMay("playlists:write");
  const [isCreating, setIsCreating] = useState(false);
  const isOfShow = useIsOfShow();
  const all = data?.pages.flatMap((page) => page.data).filter(({ id }) => !isOfShow(id));
  const create = mayWrite ? (
    <>
      <Link to="/import" search={{ of: "playlists" }} className="button">
        <Icon name="upload" />
        {text("import")}
      </Link>
      <Button kind="primary" onPress={() => setIsCreating(true)}>
        <Icon name="plus" />
        {text("create")}
      </Button>
    </>
  ) : null;
  return (
    <Page title={text("title")} actions={all?.length === 0 ? null : create}>
      <ProblemMessage error={error} />
      {all?.length === 0 ? (
        <EmptyState icon="playlist" title={text("emptyTitle")} text={text("emptyText")}>
          {create}
        </EmptyState>
      ) : null}
      {all === undefined || all.length === 0 ? null : <PlaylistList playlists={all} />}
      {hasNextPage ? (
        <div className="form-end cluster end gap-3">
          <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            {text("showMore")}
          </Button>
        </div>
      ) : null}
      {isCreating ? <CreateDialog onClose={() => setIsCreating(false)} /> : null}
    </Page>
  );
}

/** Only those in view are drawn. */
function PlaylistList({ playlists: all }: { playlists: readonly Playlist[] }) {
  const ground = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  const rows = useWindowVirtualizer({
    count: all.length,
    estimateSize: () => 64,
    getItemKey: (index) => all[index]!.id,
    scrollMargin: top,
    gap: 8,
    overscan: 5,
  });
  useLayoutEffect(() => {
    const list = ground.current!;
    const measure = (): void => setTop(list.getBoundingClientRect().top + scrollY);
    measure();
    // A change of the elements above the list moves it.
    const observer = new ResizeObserver(measure);
    observer.observe(list.parentElement!);
    return () => observer.disconnect();
  }, []);
  return (
    <ul ref={ground} className="playlist-list relative" style={{ blockSize: rows.getTotalSize() }}>
      {rows.getVirtualItems().map(({ index, start, key }) => {
        const { id, name, items, updated_at } = all[index]!;
        return (
          <li
            key={key}
            ref={rows.measureElement}
            data-index={index}
            style={{ transform: `translateY(${start - top}px)` }}
            aria-posinset={index + 1}
            aria-setsize={all.length}
          >
            <Link to="/playlists/$id" params={{ id }} className="playlist-link row box gap-3 pad-3-4 plain-link inherit-ink">
              <span className="center rigid tint rounded accent square">
                <Icon name="playlist" />
              </span>
              <span className="item-facts">
                <span className="item-name truncate strong">{name}</span>
                <span className="faint small">
                  {text("items", { count: items.length })} · {text("changed")} <Age time={updated_at} />
                </span>
              </span>
              <span className="icon-directed">
                <Icon name="chevronEnd" />
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const creating = useMutation({
    mutationFn: () => createPlaylist(name),
    onSuccess: ({ id }) => navigate({ to: "/playlists/$id", params: { id } }),
  });
  const form = formOf(creating, ["name"], creating.mutate);
  return (
    <FormDialog title={text("create")} action={text("createDo")} form={form} onClose={onClose} size="small">
      <TextField label={text("createName")} value={name} onChange={setName} error={form.errors.name} maxLength={200} isRequired autoFocus />
    </FormDialog>
  );
}
