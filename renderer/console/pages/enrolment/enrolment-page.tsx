// Enrolment keys: the screens that they add, how many, until when, and why they refused.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { client } from "../../data/client.ts";
import { eventStream } from "../../data/event-stream.ts";
import { layoutNamesQuery } from "../../data/layout-names.ts";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { KeyCard } from "./key-card.tsx";
import { KeyDialog } from "./key-dialog.tsx";
import { keysQuery, type EnrolmentKey } from "./keys.ts";
import { SecretDialog, type KeySecret } from "./secret-dialog.tsx";
import "./enrolment.css";

const text = texts("common", "enrolment");

export function EnrolmentPage() {
  const queries = useQueryClient();
  const { data: keys, error } = useQuery(keysQuery);
  const { data: layouts } = useQuery(layoutNamesQuery);
  const mayWrite = useMay("players:write");
  const [editTarget, setEditTarget] = useState<EnrolmentKey | "new" | null>(null);
  const [revokeTarget, setRevokeTarget] = useState<EnrolmentKey | null>(null);
  const [secret, setSecret] = useState<KeySecret | null>(null);
  const reload = (): Promise<void> => queries.invalidateQueries({ queryKey: keysQuery.queryKey });
  // Each screen that a key adds or returns changes its counts.
  useEffect(
    () =>
      eventStream.listen((news) => {
        if (news.is === "event" && ["player.paired", "player.replaced"].includes(news.event.type))
          void queries.invalidateQueries(keysQuery);
      }),
    [queries],
  );
  const create = mayWrite ? (
    <Button kind="primary" onPress={() => setEditTarget("new")}>
      <Icon name="plus" />
      {text("create")}
    </Button>
  ) : null;
  return (
    <Page title={text("title")} actions={(keys?.length ?? 0) === 0 ? undefined : create}>
      <p className="enrolment-intro">{text("intro")}</p>
      {mayWrite ? null : <p className="faint">{text("notAllowed")}</p>}
      <ProblemMessage error={error} />
      {keys?.length === 0 ? (
        <EmptyState icon="key" title={text("emptyTitle")} text={text("emptyText")}>
          {create}
          <Link to="/pair" className="button">
            {text("pairOne")}
          </Link>
        </EmptyState>
      ) : null}
      {keys === undefined || keys.length === 0 ? null : (
        <ul className="enrolment-keys stack gap-3" aria-label={text("listLabel")}>
          {keys.map((key) => (
            <KeyCard
              key={key.id}
              enrolmentKey={key}
              layoutName={layouts?.find(({ id }) => id === key.layout_id)?.name ?? null}
              {...(mayWrite ? { onChange: () => setEditTarget(key), onRevoke: () => setRevokeTarget(key) } : {})}
            />
          ))}
        </ul>
      )}
      {editTarget === null ? null : (
        <KeyDialog
          current={editTarget === "new" ? null : editTarget}
          onClose={() => setEditTarget(null)}
          onSaved={(key, newSecret) => {
            setEditTarget(null);
            if (newSecret === null) showToast({ message: text("changed", { name: key.name }) });
            else setSecret({ name: key.name, secret: newSecret });
            void reload();
          }}
        />
      )}
      {secret === null ? null : <SecretDialog {...secret} onClose={() => setSecret(null)} />}
      {revokeTarget === null ? null : (
        <ConfirmDialog
          isOpen
          title={text("revokeTitle", { name: revokeTarget.name })}
          action={text("revoke")}
          onClose={() => setRevokeTarget(null)}
          run={async () => {
            await client.post("/api/v1/enrolment-keys/{id}/revoke", { params: { path: { id: revokeTarget.id } } });
            showToast({ message: text("revoked", { name: revokeTarget.name }) });
            await reload();
          }}
        >
          <p>{text("revokeText", { used: revokeTarget.used_count })}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}
