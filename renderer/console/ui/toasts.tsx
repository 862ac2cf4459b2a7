// Short messages after an action of the person, with a way to undo it.
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { usePlaceKey } from "../data/draft.ts";
import { texts } from "../i18n/texts.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { reasonOf } from "./problem-message.tsx";

const text = texts("common");

export interface Toast {
  message: string;
  kind?: "done" | "failed";
  /** Undoes the action of the message. If that fails, another message says so. */
  undo?: () => Promise<unknown> | void;
  /** Leads to the subject of the message. */
  link?: { name: string; to: string };
}

type ToastEntry = Toast & { id: number };

const shownMs = 8_000;
const mostShown = 3;
let nextId = 1;
let add: (toast: ToastEntry) => void = () => undefined;

const sameActMs = 1_000;
let correctionAt = Number.NEGATIVE_INFINITY;

/** Shows a message for some seconds, or until it is closed if it tells of a failure. */
export function showToast(toast: Toast): void {
  if (toast.kind !== "failed" && performance.now() - correctionAt < sameActMs) {
    correctionAt = Number.NEGATIVE_INFINITY;
    return;
  }
  add({ ...toast, id: nextId++ });
}

/** Shows a message in place of the one with which the page will say that the act is done, since it is not. */
export function showCorrection(toast: Toast): void {
  add({ ...toast, id: nextId++ });
  correctionAt = performance.now();
}

/** Says why something failed that no part of the page shows. */
export function showFailure(error: unknown): void {
  showToast({ kind: "failed", message: reasonOf(error) });
}

/** For work that a button starts and no page waits for: shows a message if it fails. */
export function tellFailure(promise: Promise<unknown>): void {
  promise.catch(showFailure);
}

/** The place where toasts appear. There is one in the page. */
export function Toasts() {
  const [toasts, setToasts] = useState<readonly ToastEntry[]>([]);
  useEffect(() => {
    add = (toast) => setToasts((list) => [...list, toast].slice(-mostShown));
    return () => {
      add = () => undefined;
    };
  }, []);
  const place = usePlaceKey();
  // After the person has gone to another draft, or out of one, an undo would change the wrong content.
  useEffect(() => () => setToasts((list) => list.filter(({ undo }) => undo === undefined)), [place]);
  const remove = (id: number): void => setToasts((list) => list.filter((toast) => toast.id !== id));
  return (
    // An open dialog makes the rest of the page inert, but not this: the last action can still be undone.
    <div className="toasts" role="status" data-react-aria-top-layer="true">
      {toasts.map((toast) => (
        <ToastView key={toast.id} toast={toast} onClose={() => remove(toast.id)} />
      ))}
    </div>
  );
}

function ToastView({ toast: { kind = "done", message, undo, link }, onClose }: { toast: ToastEntry; onClose: () => void }) {
  const [isHeld, setIsHeld] = useState(false);
  useEffect(() => {
    if (isHeld || kind === "failed") return undefined;
    const timer = setTimeout(onClose, shownMs);
    return () => clearTimeout(timer);
  });
  return (
    <div
      className="toast row gap-3 rounded raised shadow"
      data-kind={kind}
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
    >
      <Icon name={kind === "done" ? "check" : "warning"} />
      <p>{message}</p>
      {link === undefined ? null : (
        <Link to={link.to} className="button" data-kind="plain" data-size="small" onClick={onClose}>
          {link.name}
        </Link>
      )}
      {undo === undefined ? null : (
        <Button
          size="small"
          onPress={() => {
            onClose();
            takeBack(undo);
          }}
        >
          {text("undo")}
        </Button>
      )}
      <Button kind="quiet" size="small" aria-label={text("close")} onPress={onClose}>
        <Icon name="close" />
      </Button>
    </div>
  );
}

function takeBack(undo: NonNullable<Toast["undo"]>): void {
  undo()?.catch((error: unknown) => showToast({ kind: "failed", message: text("undoFailed", { reason: reasonOf(error) }) }));
}
