// Starts the console.
import "./app/trusted-types.ts";
import "./style/style.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./data/query-client.ts";
import { sessionQuery } from "./data/session.ts";
import { applyLocale } from "./i18n/locale.ts";
import { loadMessages } from "./i18n/texts.ts";
import { loadPage } from "./app/after-navigation.ts";
import { createConsoleRouter } from "./app/router.tsx";
import { applyTheme, chosenTheme } from "./app/theme.ts";

applyLocale();
applyTheme(chosenTheme());
const base = new URL(document.baseURI).pathname;
if (location.pathname.startsWith(base)) void loadMessages().then(start);
// The service is behind a path (`--public-url`), but was opened at its own address without that path.
else location.replace(base + location.pathname.slice(1) + location.search + location.hash);

function start(): void {
  const router = createConsoleRouter();
  // The router asks first who is signed in. The page, its styles and the answer come at the same time instead of one after the other.
  // A person who is about to sign in, or reads a shared report, has no session to ask for.
  if (!["sign-in", "r/"].some((page) => location.pathname.startsWith(base + page))) void queryClient.prefetchQuery(sessionQuery);
  loadPage(router);
  createRoot(document.querySelector("#root")!).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
