// The frame of every page, signed in or not: messages that appear and go (toasts).
import { Outlet } from "@tanstack/react-router";
import { Toasts } from "../ui/toasts.tsx";

export function Root() {
  return (
    <>
      <Outlet />
      <Toasts />
    </>
  );
}
