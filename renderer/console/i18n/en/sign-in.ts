// Messages of the sign-in pages.
export const signIn = {
  title: "Sign in",
  signingIn: "Signing you in…",
  needLink: "Open the sign-in link that the service printed when it started, or ask an owner of your team for one.",
} as const;
