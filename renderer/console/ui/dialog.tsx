// A dialog over the page. On a phone it covers the lower part of the display.
import type { ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { texts } from "../i18n/texts.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

const text = texts("common");

export interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** Buttons below the content; the main one last. */
  actions?: ReactNode;
  size?: "small" | "medium" | "large";
  /** For a question that must be answered, such as the confirmation of a deletion. */
  role?: "dialog" | "alertdialog";
  children: ReactNode;
}

export function Dialog({ title, isOpen, onClose, actions, size = "medium", role = "dialog", children }: DialogProps) {
  return (
    <ModalOverlay
      className="overlay"
      isOpen={isOpen}
      onOpenChange={(open) => (open ? undefined : onClose())}
      isDismissable={role === "dialog"}
    >
      <Modal className="modal" data-size={size}>
        <AriaDialog className="dialog stack full-width" role={role}>
          <header className="dialog-header row between gap-3">
            <Heading slot="title">{title}</Heading>
            <Button kind="quiet" size="small" aria-label={text("close")} onPress={onClose}>
              <Icon name="close" />
            </Button>
          </header>
          <div className="dialog-content stack gap-4 break-words scroll">{children}</div>
          {actions === undefined ? null : <footer className="dialog-actions wrap end gap-2 line-above">{actions}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
