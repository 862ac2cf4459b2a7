// Explains to people why single sign-on failed and how to go on. Nothing of it is the provider's own text, which anybody may write.

/** A failure of single sign-on, with `detail` for the person. */
export interface ProviderProblem {
  detail: string;
  /** True if the failure is the provider's, not that of the sign-in. */
  isUnreachable: boolean;
  /** For the log. */
  code: string;
}

const expired = "begin again";
/** The errors that a provider leads back with (RFC 6749 section 4.1.2.1, OpenID Connect Core section 3.1.2.6). */
const answers: Readonly<Record<string, (name: string) => string>> = {
  access_denied: (name) => `${name} did not let you in, or you cancelled: begin again, or sign in another way`,
  login_required: (name) => `${name} wants you to sign in there first: ${expired}`,
  interaction_required: (name) => `${name} wants you to sign in there first: ${expired}`,
  consent_required: (name) => `${name} wants you to agree first: ${expired}`,
  account_selection_required: (name) => `${name} wants you to choose an account: ${expired}`,
  temporarily_unavailable: (name) => `${name} is overloaded: try again in a minute, or sign in another way`,
  server_error: (name) => `${name} failed: try again in a minute, or sign in another way`,
};

/** @param name the name by which people know the provider */
export function problemOfProvider(error: unknown, name: string): ProviderProblem {
  const code = codeOf(error);
  const answer = answerOf(error);
  if (answer !== null) {
    const words = Object.hasOwn(answers, answer) ? answers[answer]!(name) : misconfigured(name, "refuses this service");
    return { detail: words, isUnreachable: false, code: answer };
  }
  if (isConnectionFault(error)) {
    const detail = `${name} cannot be reached now. Sign in with a password or a sign-in link, or try again in a minute`;
    return { detail, isUnreachable: true, code };
  }
  if (code === "OAUTH_JWT_TIMESTAMP_CHECK_FAILED") {
    return {
      detail: `What ${name} says is too old: sign in there again. If it happens again, a clock is wrong`,
      isUnreachable: false,
      code,
    };
  }
  if (hasError(error, "invalid_grant")) return { detail: `${name} says that this sign-in is over: ${expired}`, isUnreachable: false, code };
  return { detail: misconfigured(name, "answered in a way that is not valid"), isUnreachable: false, code };
}

function misconfigured(name: string, what: string): string {
  return `${name} ${what}. Sign in another way, and tell whoever runs this service: its log says more`;
}

/** The error that a provider led back with; null: it did not. */
function answerOf(error: unknown): string | null {
  return isRecord(error) && error["code"] === "OAUTH_AUTHORIZATION_RESPONSE_ERROR" ? String(error["error"]) : null;
}

function hasError(error: unknown, answer: string): boolean {
  return isRecord(error) && error["error"] === answer;
}

function codeOf(error: unknown): string {
  if (!isRecord(error)) return "unknown";
  return typeof error["error"] === "string" ? error["error"] : typeof error["code"] === "string" ? error["code"] : String(error["name"]);
}

/** True if nobody answered, or a server that is no provider did. */
function isConnectionFault(error: unknown): boolean {
  if (!isRecord(error)) return false;
  // fetch() gives a TypeError for every reason why it reached nobody.
  if (error["name"] === "TypeError" || error["name"] === "TimeoutError" || error["name"] === "AbortError") return true;
  const codes = [
    "OAUTH_TIMEOUT",
    "OAUTH_ABORT",
    "OAUTH_RESPONSE_IS_NOT_CONFORM",
    "OAUTH_RESPONSE_IS_NOT_JSON",
    "OAUTH_PARSE_ERROR",
    "ENOENT",
    "EACCES",
  ];
  return typeof error["code"] === "string" && codes.includes(error["code"]);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
