// Sends the form of the claim page and shows the result. Stores nothing: the token is gone when the page is closed.
const form = document.querySelector("#form");
const message = document.querySelector("#message");
const send = document.querySelector("#send");
const fields = { code: form.code, name: form.elements.namedItem("name"), token: form.token };

const givenCode = new URLSearchParams(location.search).get("code");
if (givenCode !== null) fields.code.value = givenCode.slice(0, 16).toUpperCase();
(givenCode === null ? fields.code : fields.name).focus();

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void claim();
});

async function claim() {
  for (const field of Object.values(fields)) field.removeAttribute("aria-invalid");
  const empty = Object.values(fields).find((field) => field.value.trim() === "");
  if (empty !== undefined) return showProblem(`Please fill in: ${empty.labels[0].textContent}.`, empty);
  send.disabled = true;
  showMessage("Adding the screen…", "");
  try {
    const response = await fetch("/api/v1/players/pair", {
      method: "POST",
      headers: { authorization: `Bearer ${fields.token.value.trim()}`, "content-type": "application/json" },
      body: JSON.stringify({ code: fields.code.value, name: fields.name.value }),
    });
    const body = await response.json();
    if (response.ok) showSuccess(body.name);
    else showProblem(reasonOf(response.status, body), fieldOf(response.status, body));
  } catch {
    showProblem("The service cannot be reached. Check your connection and try again.", null);
  } finally {
    send.disabled = false;
  }
}

function showSuccess(name) {
  form.hidden = true;
  document.querySelector("#added").textContent = name;
  document.querySelector("#next").hidden = false;
  showMessage(`Done: “${name}” is added. The screen changes within a few seconds.`, "good");
}

function reasonOf(status, problem) {
  if (status === 401) return "The access token is not valid.";
  if (status === 403) return "This access token may not add screens.";
  const details = (problem.errors ?? []).map((error) => error.detail).join("; ");
  return details === "" ? (problem.detail ?? `The service responded with status ${status}.`) : `Please check: ${details}.`;
}

function fieldOf(status, problem) {
  if (status === 401 || status === 403) return fields.token;
  if (status === 404 || status === 409) return fields.code;
  const name = problem.errors?.[0]?.pointer?.slice(1);
  return fields[name] ?? null;
}

function showProblem(text, field) {
  showMessage(text, "bad");
  field?.setAttribute("aria-invalid", "true");
  field?.focus();
}

function showMessage(text, kind) {
  message.textContent = text;
  message.className = kind;
  message.hidden = false;
}
