// The setting that changes of contributors must be approved before they are published.
import { client } from "../../../data/client.ts";
import { useMay, useSession } from "../../../data/session.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import { Section } from "../../../ui/section.tsx";
import { Switch } from "../../../ui/switch.tsx";
import { showToast } from "../../../ui/toasts.tsx";

const text = texts("team");
type Approval = "none" | "required";

export function ApprovalSection() {
  const { team } = useSession();
  const mayChange = useMay("teams:write");
  const changing = useAct({
    run: (approval: Approval) => client.patch("/api/v1/teams/{id}", { params: { path: { id: team.id } }, body: { approval } }),
    changes: ["session", "audit"],
  });
  const change = (approval: Approval): void =>
    changing.mutate(approval, {
      onSuccess: () =>
        showToast({
          message: text("approvalChanged", { approval }),
          undo: () => changing.mutate(approval === "none" ? "required" : "none"),
        }),
    });
  const { approval } = team;
  const current = changing.isPending ? changing.variables : approval;
  return (
    <Section title={text("approval")} text={text("approvalText")}>
      {mayChange ? (
        <Switch isSelected={current === "required"} isDisabled={changing.isPending} onChange={(is) => change(is ? "required" : "none")}>
          {text("approvalSwitch")}
        </Switch>
      ) : (
        <p>{text(approval === "required" ? "approvalOn" : "approvalOff")}</p>
      )}
    </Section>
  );
}
