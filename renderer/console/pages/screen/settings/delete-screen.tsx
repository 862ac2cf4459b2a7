// Deletes a screen into the bin, after asking, with a way back.
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../../data/client.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmDialog } from "../../../ui/confirm-dialog.tsx";
import { showToast } from "../../../ui/toasts.tsx";
import { Section } from "./section.tsx";

const text = texts("screenSettings");

export function DeleteScreen({ id, name }: { id: string; name: string }) {
  const [isAsking, setIsAsking] = useState(false);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const restore = async (): Promise<void> => {
    await client.post("/api/v1/players/{id}/restore", { params: { path: { id } } });
    await navigate({ to: "/screens/$id", params: { id } });
    await queries.invalidateQueries({ queryKey: ["players"] });
  };
  const remove = async (): Promise<void> => {
    await client.delete("/api/v1/players/{id}", { params: { path: { id } } });
    showToast({ message: text("deleted", { name }), undo: restore });
    await navigate({ to: "/" });
    await queries.invalidateQueries({ queryKey: ["players"] });
  };
  return (
    <Section id="delete" title={text("danger")} about={text("dangerAbout")}>
      <div>
        <Button onPress={() => setIsAsking(true)}>{text("delete")}</Button>
      </div>
      <ConfirmDialog
        title={text("deleteQuestion", { name })}
        action={text("delete")}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        run={remove}
      >
        <p>{text("deleteText")}</p>
      </ConfirmDialog>
    </Section>
  );
}
