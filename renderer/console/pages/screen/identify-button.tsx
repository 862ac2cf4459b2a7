// Makes the screen show its name, so that a person in front of many finds it.
import { useEffect } from "react";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { isEnded, useCommand } from "./commands/use-command.ts";
import { Lifecycle } from "./commands/lifecycle.tsx";
import type { PlayerDetails } from "./data.ts";

const text = texts("screen");

export function IdentifyButton({ player: { id, name, capabilities } }: { player: PlayerDetails }) {
  const { command, isSending, failure, send } = useCommand(id);
  const status = command?.status;
  useEffect(() => {
    if (status === "succeeded") showToast({ message: text("identifySent", { name }) });
  }, [status, name]);
  const may = useMay("commands:write");
  // An older player does not report its capabilities.
  const isSupported = capabilities === null || capabilities.commands.includes("identify");
  if (!may || !isSupported) return null;
  const isRunning = isSending || (command !== null && !isEnded(command));
  return (
    <div className="identify cluster end gap-3">
      {command === null && failure === null ? null : <Lifecycle command={command} failure={failure} />}
      <Button isPending={isRunning} onPress={() => send({ type: "identify" })}>
        <Icon name="target" /> {text("identify")}
      </Button>
    </div>
  );
}
