// The bar of actions on all selected screens. It is there while screens are selected.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Toolbar } from "react-aria-components";
import { clearSelection, useSelection } from "../../data/selection.ts";
import { useMay } from "../../data/session.ts";
import type { MessageKey } from "../../i18n/catalogue.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { IconName } from "../../ui/icon-paths.ts";
import { CommandDialog } from "./command-dialog.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { HoursDialog, LayoutDialog, MaintenanceDialog, TagsDialog } from "./change-dialogs.tsx";
import "./bulk.css";

const text = texts("bulk");
const actions = [
  { id: "tags", icon: "tag", dialog: TagsDialog },
  { id: "layout", icon: "image", dialog: LayoutDialog },
  { id: "command", icon: "broadcast", dialog: CommandDialog },
  { id: "hours", icon: "clock", dialog: HoursDialog },
  { id: "maintenance", icon: "settings", dialog: MaintenanceDialog },
  { id: "delete", icon: "trash", dialog: DeleteDialog },
] as const satisfies readonly { id: MessageKey<"bulk">; icon: IconName; dialog: unknown }[];

export function BulkBar() {
  const selection = useSelection();
  const mayWrite = useMay("players:write");
  const mayCommand = useMay("commands:write");
  // The screens of an action stay the same while its dialog is open.
  const [open, setOpen] = useState<{ id: (typeof actions)[number]["id"]; ids: readonly string[] } | null>(null);
  const permittedActions = actions.filter(({ id }) => (id === "command" ? mayCommand : mayWrite));
  const OpenDialog = actions.find(({ id }) => id === open?.id)?.dialog;
  return (
    <>
      {selection.size === 0 || permittedActions.length === 0 ? null : (
        <section className="bulk-bar" aria-label={text("bar")}>
          <p className="bold digits nowrap" role="status">
            <Link className="inherit-ink" to="/screens/bulk" search={{}}>
              {text("selected", { count: selection.size })}
            </Link>
          </p>
          <Toolbar className="bulk-actions flex gap-1 shrink" aria-label={text("bar")}>
            {permittedActions.map(({ id, icon }) => (
              <Button key={id} size="small" onPress={() => setOpen({ id, ids: [...selection] })}>
                <Icon name={icon} />
                {text(id)}
              </Button>
            ))}
          </Toolbar>
          <Button kind="quiet" size="small" aria-label={text("clear")} onPress={clearSelection}>
            <Icon name="close" />
          </Button>
        </section>
      )}
      {open === null || OpenDialog === undefined ? null : <OpenDialog ids={open.ids} onClose={() => setOpen(null)} />}
    </>
  );
}
