// Shows the secret of a new enrolment key, once, ready to be copied to machines.
import { useId, useState } from "react";
import { baseUrl } from "../../data/client.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";

const text = texts("common", "enrolment");

export interface KeySecret {
  name: string;
  secret: string;
}

export function SecretDialog({ name, secret, onClose }: KeySecret & { onClose: () => void }) {
  const file = `server = "${baseUrl}"\nenrolment_key = "${secret}"\n`;
  // Read from the standard input: other users can read a command line.
  const command = `sudo signage-player setup --server ${baseUrl} --enrolment-key-file /dev/stdin <<< '${secret}'`;
  const actions = (
    <Button kind="primary" onPress={onClose}>
      {text("done")}
    </Button>
  );
  return (
    <Dialog title={text("secretTitle", { name })} isOpen onClose={onClose} role="alertdialog" actions={actions}>
      <p>{text("secretText")}</p>
      {/^(localhost|127\.|\[::1\])/.test(location.hostname) ? <p className="problem">{text("loopback", { host: location.host })}</p> : null}
      <Copyable label={text("secretFile")} value={file} />
      <Copyable label={text("secretCommand")} value={command} />
      <Copyable label={text("secretAlone")} value={secret} />
    </Dialog>
  );
}

function Copyable({ label, value }: { label: string; value: string }) {
  const id = useId();
  const [outcome, setOutcome] = useState<"copied" | "copyFailed" | null>(null);
  const copy = (): void => {
    // Missing on pages without TLS.
    if (!("clipboard" in navigator)) return setOutcome("copyFailed");
    navigator.clipboard.writeText(value).then(
      () => setOutcome("copied"),
      () => setOutcome("copyFailed"),
    );
  };
  return (
    <div className="field">
      <span className="label" id={id}>
        {label}
      </span>
      <div className="copyable flex top gap-2">
        <pre className="pad-2-3 grow shrink sunken rounded break-words" tabIndex={0} role="region" aria-labelledby={id}>
          {value}
        </pre>
        <Button size="small" aria-describedby={id} onPress={copy}>
          {text("copy")}
        </Button>
      </div>
      <span role="status" className="field-description">
        {outcome === null ? "" : text(outcome)}
      </span>
    </div>
  );
}
