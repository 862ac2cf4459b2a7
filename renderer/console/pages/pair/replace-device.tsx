// Moves a screen to the device that shows a code: a dialog that the screen's page opens.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { impatientClient } from "../../data/client.ts";
import { common } from "../../i18n/en/common.ts";
import { pair } from "../../i18n/en/pair.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { CodeField } from "./code-field.tsx";
import { examineCode } from "./code.ts";
import { pairingErrors } from "./pairing-errors.ts";
import "./pair.css";

const text = texts({ ...common, ...pair });

interface ReplaceDeviceProps {
  player: { id: string; name: string };
  isOpen: boolean;
  onClose: () => void;
}

export function ReplaceDevice({ player: { id, name }, isOpen, onClose }: ReplaceDeviceProps) {
  const queries = useQueryClient();
  const [code, setCode] = useState("");
  const [isMissing, setIsMissing] = useState(false);
  const replacing = useMutation({
    mutationFn: () => impatientClient.post("/api/v1/players/{id}/replace", { params: { path: { id } }, body: { code } }),
    onSuccess: async () => {
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
    if (!examineCode(code).isComplete) setIsMissing(true);
    else if (!replacing.isPending) replacing.mutate();
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
    <Dialog title={text("replaceTitle", { name })} isOpen={isOpen} onClose={close} size="small" actions={actions}>
      <p>{text("replaceText")}</p>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <CodeField
          value={code}
          onChange={(letters) => {
            setCode(letters);
            setIsMissing(false);
            replacing.reset();
          }}
          error={isMissing ? text("codeIncomplete") : errors.code}
          autoFocus
        />
      </form>
      <ProblemMessage error={errors.other} />
    </Dialog>
  );
}
