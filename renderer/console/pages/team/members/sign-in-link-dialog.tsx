// Creates a link that signs a member in, for a person who lost their password.
import { client } from "../../../data/client.ts";
import type { Member } from "../../../data/members.ts";
import { useAct } from "../../../data/use-act.ts";
import { formatDateTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyField } from "../../../ui/copy-field.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";

const text = texts("team");
const words = texts("common");

export function SignInLinkDialog({ member: { name, user_id }, onClose }: { member: Member; onClose: () => void }) {
  const creating = useAct({
    run: async () => (await client.post("/api/v1/sign-in-links", { body: { user_id } })).data,
    changes: ["audit"],
    showsErrors: true,
  });
  const link = creating.data;
  const actions =
    link === undefined ? (
      <>
        <Button onPress={onClose}>{words("cancel")}</Button>
        <Button kind="primary" isPending={creating.isPending} onPress={() => creating.mutate()}>
          {text("createLink")}
        </Button>
      </>
    ) : (
      <Button kind="primary" onPress={onClose}>
        {text("done")}
      </Button>
    );
  return (
    <Dialog title={text("signInLinkTitle", { name })} isOpen onClose={onClose} actions={actions}>
      <p>{text("signInLinkText", { name })}</p>
      {link === undefined ? null : (
        <CopyField
          label={text("link")}
          value={link.url}
          description={text("worksOnce", { time: formatDateTime(new Date(link.expires_at)) })}
        />
      )}
      <ProblemMessage error={creating.error} />
    </Dialog>
  );
}
