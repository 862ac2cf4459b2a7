// Sends all failed deliveries of a webhook again, since a time.
import { useState } from "react";
import { hourMs, iso } from "../../../../../src/base/time.ts";
import { client } from "../../../data/client.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import { Select } from "../../../ui/select.tsx";
import type { Webhook } from "./webhook-status.tsx";

const text = texts("webhooks");
const words = texts("common");

const hours = { sinceHour: 1, sinceDay: 24, sinceWeek: 168, sinceMonth: 720 } as const;
const spans = ["sinceHour", "sinceDay", "sinceWeek", "sinceMonth"] as const;

export function ReplayDialog({ webhook: { id }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [span, setSpan] = useState<(typeof spans)[number]>("sinceDay");
  const replaying = useAct({
    run: async () => {
      const since = iso(Date.now() - hours[span] * hourMs);
      return (await client.post("/api/v1/webhooks/{id}/replay", { params: { path: { id } }, body: { since } })).data.count;
    },
    changes: ["webhooks", "audit"],
    toast: (count) => ({ message: text("replayedAll", { count }) }),
    after: onClose,
    showsErrors: true,
  });
  const actions = (
    <>
      <Button onPress={onClose}>{words("cancel")}</Button>
      <Button kind="primary" isPending={replaying.isPending} onPress={() => replaying.mutate()}>
        {text("replay")}
      </Button>
    </>
  );
  return (
    <Dialog title={text("replayAllTitle")} isOpen onClose={onClose} size="small" actions={actions}>
      <p>{text("replayAllText")}</p>
      <Select
        label={text("replaySince")}
        options={spans.map((each) => ({ id: each, name: text(each) }))}
        selectedKey={span}
        onSelectionChange={setSpan}
      />
      <ProblemMessage error={replaying.error} />
    </Dialog>
  );
}
