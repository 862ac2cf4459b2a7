// Starts the console.
import "./style/tokens.css";
import "./style/base.css";
import "./style/components.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./data/query-client.ts";
import { applyLocale } from "./i18n/locale.ts";
import { createConsoleRouter } from "./app/router.tsx";

applyLocale();
const router = createConsoleRouter();
createRoot(document.querySelector("#root")!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
