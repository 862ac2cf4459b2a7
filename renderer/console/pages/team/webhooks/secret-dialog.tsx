// Shows the signing secret of a webhook, once.
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyField } from "../../../ui/copy-field.tsx";
import { Dialog } from "../../../ui/dialog.tsx";

const text = texts("webhooks");

export function SecretDialog({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  const actions = (
    <Button kind="primary" onPress={onClose}>
      {text("done")}
    </Button>
  );
  return (
    <Dialog title={title} isOpen onClose={onClose} role="alertdialog" actions={actions}>
      <CopyField label={text("secret")} value={secret} description={text("secretText")} />
    </Dialog>
  );
}
