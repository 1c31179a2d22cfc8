// Updates the preview while someone edits the form. Without JavaScript, a button does so.
const WAIT_MS = 300;
const form = document.querySelector("[data-scheme-form]");
const place = document.querySelector("[data-scheme-preview]");
let timer = 0;
let last = 0;

async function show() {
  const number = ++last;
  const data = new FormData(form);
  data.set("show", "fragment");
  place.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(location.pathname, { method: "POST", body: data });
    const text = await answer.text();
    // Responses can arrive out of order: only the last request counts. A redirect leads to the login page.
    if (number === last && !answer.redirected && answer.ok) place.innerHTML = text;
  } catch {
    // The connection is interrupted: the next input tries again.
  }
  if (number === last) place.removeAttribute("aria-busy");
}

function showSoon() {
  clearTimeout(timer);
  timer = setTimeout(show, WAIT_MS);
}

// On a phone, the preview is below the form, and the button scrolls to it.
form.querySelector("[data-show-preview]").addEventListener("click", async (event) => {
  event.preventDefault();
  await show();
  place.closest("section").scrollIntoView();
});
form.addEventListener("input", showSoon);
if ("sketch" in form.dataset) show();
form.addEventListener("change", showSoon);
