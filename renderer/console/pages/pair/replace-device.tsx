// Moves a screen to the device that shows a code: a dialog that the screen's page opens.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { impatientClient } from "../../data/client.ts";
import { useRoster } from "../../data/roster.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ComboBox } from "../../ui/combo-box.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { CodeField } from "./code-field.tsx";
import { codeLetters, examineCode } from "./code.ts";
import { pairingErrors } from "./pairing-errors.ts";
import "./pair.css";

const text = texts("common", "pair");

interface ReplaceDeviceProps {
  /** The screen; missing: the person chooses one. */
  player?: { id: string; name: string };
  /** The code, if it is known already. */
  givenCode?: string;
  isOpen: boolean;
  onClose: () => void;
}

export function ReplaceDevice({ player, givenCode = "", isOpen, onClose }: ReplaceDeviceProps) {
  const queries = useQueryClient();
  const [code, setCode] = useState(() => codeLetters(givenCode));
  const [chosenId, setChosenId] = useState<string | null>(null);
  const { rows: screens } = useRoster();
  const target = player ?? screens.find(({ id }) => id === chosenId);
  const [isMissing, setIsMissing] = useState(false);
  const replacing = useMutation({
    mutationFn: async ({ id, name }: { id: string; name: string }) => {
      await impatientClient.post("/api/v1/players/{id}/replace", { params: { path: { id } }, body: { code } });
      return name;
    },
    onSuccess: async (name) => {
      showToast({ message: text("replaced", { name }) });
      close();
      await queries.invalidateQueries({ queryKey: ["players"] });
    },
  });
  const close = (): void => {
    setCode("");
    setIsMissing(false);
    replacing.reset();
    onClose();
  };
  const errors = pairingErrors(replacing.error);
  const submit = (): void => {
    setIsMissing(true);
    if (target !== undefined && examineCode(code).isComplete && !replacing.isPending) replacing.mutate(target);
  };
  const actions = (
    <>
      <Button onPress={close}>{text("cancel")}</Button>
      <Button kind="danger" isPending={replacing.isPending} onPress={submit}>
        {text("replace")}
      </Button>
    </>
  );
  return (
    <Dialog
      title={player === undefined ? text("replaceAnyTitle") : text("replaceTitle", { name: player.name })}
      isOpen={isOpen}
      onClose={close}
      size="small"
      actions={actions}
    >
      <p>{text("replaceText")}</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {player === undefined ? (
          <ComboBox
            label={text("replaceScreen")}
            placeholder={text("replaceScreenPlaceholder")}
            choices={screens}
            value={chosenId}
            onChange={setChosenId}
            error={isMissing && target === undefined ? text("replaceScreenMissing") : undefined}
          />
        ) : null}
        <CodeField
          value={code}
          onChange={(letters) => {
            setCode(letters);
            setIsMissing(false);
            replacing.reset();
          }}
          error={isMissing && !examineCode(code).isComplete ? text("codeIncomplete") : errors.code}
          autoFocus={player !== undefined}
        />
      </form>
      <ProblemMessage error={errors.other} />
    </Dialog>
  );
}
