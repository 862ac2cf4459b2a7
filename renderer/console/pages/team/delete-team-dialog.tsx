// Deletes the team: names the obstacle, or the data that is destroyed, and wants the team's name typed.
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId, useState, type FormEvent, type ReactNode } from "react";
import { baseUrl, client } from "../../data/client.ts";
import { useRoster } from "../../data/roster.ts";
import { useSession } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { TextField } from "../../ui/text-field.tsx";

const text = texts("team");
const words = texts("common");

/** @param dry_run "true": only looks whether the service would do it */
function deleteTeam(id: string, dry_run: "true" | "false"): Promise<unknown> {
  return client.delete("/api/v1/teams/{id}", { params: { path: { id }, query: { with_content: "true", dry_run } } });
}

export function DeleteTeamDialog({ onClose }: { onClose: () => void }) {
  const { team, teams } = useSession();
  const formId = useId();
  const [input, setInput] = useState("");
  const forecast = useQuery({
    queryKey: ["team-deletion", team.id],
    queryFn: async () => {
      await deleteTeam(team.id, "true");
      return true;
    },
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const deleting = useMutation({
    mutationFn: () => deleteTeam(team.id, "false"),
    // Nothing that was read, selected or listened to is another team's: the console starts anew.
    onSuccess: () => location.assign(`${baseUrl}/`),
  });
  const isNamed = input.trim().normalize() === team.name.trim().normalize();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isNamed && !deleting.isPending && !deleting.isSuccess) deleting.mutate();
  };
  if (forecast.error !== null) {
    return (
      <Dialog
        title={text("deleteRefused")}
        isOpen
        onClose={onClose}
        size="small"
        actions={
          <Button kind="primary" autoFocus onPress={onClose}>
            {words("close")}
          </Button>
        }
      >
        <ProblemMessage error={forecast.error} />
        <Remedy onClose={onClose} />
      </Dialog>
    );
  }
  const actions = (
    <>
      <Button onPress={onClose}>{words("cancel")}</Button>
      <Button kind="danger" type="submit" form={formId} isDisabled={!isNamed} isPending={deleting.isPending || deleting.isSuccess}>
        {text("deleteTeam")}
      </Button>
    </>
  );
  return (
    <Dialog
      title={text("deleteTitle", { name: team.name })}
      isOpen
      onClose={onClose}
      size="small"
      role="alertdialog"
      actions={forecast.data === true ? actions : undefined}
    >
      {forecast.data === true ? (
        <form id={formId} className="form" onSubmit={submit}>
          <p>{text("deleteText")}</p>
          <p>{text(teams.length > 1 ? "deleteGoOn" : "deleteSignsOut")}</p>
          <TextField label={text("deleteType", { name: team.name })} value={input} onChange={setInput} autoFocus autoComplete="off" />
          <ProblemMessage error={deleting.error} />
        </form>
      ) : (
        <p role="status">{text("deleteLooking")}</p>
      )}
    </Dialog>
  );
}

/** How to get rid of the screens, if there are any. */
function Remedy({ onClose }: { onClose: () => void }) {
  const { rows } = useRoster();
  if (rows.length === 0) return null;
  const link = (parts: ReactNode[]): ReactNode => (
    <Link key="wall" to="/" onClick={onClose}>
      {parts}
    </Link>
  );
  return <p>{text.rich("deleteScreens", { link })}</p>;
}
