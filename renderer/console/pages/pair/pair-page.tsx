// Adds a screen, and follows it until it plays.
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import { PairForm } from "./pair-form.tsx";
import { PairProgress } from "./pair-progress.tsx";
import { ReplaceDevice } from "./replace-device.tsx";
import type { PairSearch } from "./routes.ts";
import { isEmptyPlan, setUp, type Plan } from "./set-up.ts";
import "./pair.css";

const text = texts("common", "pair");

export function PairPage() {
  const { code = "", added: addedId } = useSearch({ strict: false }) as PairSearch;
  const navigate = useNavigate();
  const [isReplacing, setIsReplacing] = useState(false);
  const mayPair = useMay("players:write");
  const settingUp = useMutation({
    mutationFn: ({ player, plan }: { player: Schemas["Player"]; plan: Plan }) => setUp(player, plan),
  });
  if (!mayPair) {
    return (
      <Page title={text("title")}>
        <EmptyState icon="screens" title={text("title")} text={text("notAllowed")} />
      </Page>
    );
  }
  if (addedId !== undefined) return <PairProgress playerId={addedId} settingUp={settingUp} />;
  return (
    <Page title={text("title")}>
      <p className="pair-many">
        {text.rich("manyText", {
          link: (parts) => (
            <Link key="keys" to="/enrolment">
              {parts}
            </Link>
          ),
        })}{" "}
        {text.rich("replaceLink", {
          link: (parts) => (
            <Button key="replace" kind="quiet" size="small" onPress={() => setIsReplacing(true)}>
              {parts}
            </Button>
          ),
        })}
      </p>
      <ReplaceDevice key={`replace ${code}`} givenCode={code} isOpen={isReplacing} onClose={() => setIsReplacing(false)} />
      <PairForm
        key={code}
        givenCode={code}
        onPaired={(player, plan) => {
          settingUp.reset();
          if (!isEmptyPlan(plan)) settingUp.mutate({ player, plan });
          // In the address, so that a reload shows the screen and not an empty form.
          void navigate({ to: "/pair", search: { added: player.id }, replace: true });
        }}
      />
    </Page>
  );
}
