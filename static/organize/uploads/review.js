// Keeps corrections and choices that were typed but not applied from being lost when the file is saved or read again, and
// when the organizer leaves the page.
const save = document.querySelector("form[data-save-upload]");
const warning = document.querySelector("[data-unapplied-warning]");
let isWarned = false;

function isChanged(control) {
  if (control.type === "hidden" || control.type === "submit") return false;
  if (control.type === "checkbox" || control.type === "radio") return control.checked !== control.defaultChecked;
  if (control.tagName === "SELECT") {
    const set = [...control.options].findIndex((option) => option.defaultSelected);
    return control.selectedIndex !== Math.max(0, set);
  }
  return control.value !== control.defaultValue;
}

const hasChanges = (form) => [...form.elements].some(isChanged);
const forms = [...document.querySelectorAll("form[data-unapplied]")];

// Corrections of rows and choices of players are sent together, by the form of the rows. Each other form is sent alone.
const rows = document.querySelector("form[action$='/correct/']");
const people = document.querySelector("form[action$='/people/']");

function bringPeople() {
  for (const [name, value] of new FormData(people)) {
    if (name === "csrfmiddlewaretoken" || name === "page") continue;
    const field = Object.assign(document.createElement("input"), { type: "hidden", name, value });
    rows.append(field);
  }
}

for (const form of forms) {
  form.addEventListener("submit", (event) => {
    const others = forms.filter((each) => each !== form && hasChanges(each));
    if (form === people && others.length === 1 && others[0] === rows && !event.submitter?.name) {
      event.preventDefault();
      rows.requestSubmit();
      return;
    }
    const other = others.find((each) => form !== rows || each !== people);
    if (form === rows && !other && others.length) bringPeople();
    const note = form.querySelector("[data-other-unapplied]");
    if (!other || !note.hidden) return;
    event.preventDefault();
    note.hidden = false;
    note.querySelector("a").href = `#${other.closest("section").id}`;
    note.scrollIntoView({ block: "center" });
  });
}

save?.addEventListener("submit", (event) => {
  const form = forms.find(hasChanges);
  if (!form || isWarned) return;
  event.preventDefault();
  isWarned = true;
  warning.hidden = false;
  warning.querySelector("a").href = `#${form.closest("section").id}`;
  warning.scrollIntoView({ block: "center" });
});

let isSent = false;
for (const form of [...forms, save, document.querySelector("form[action$='/discard/']")]) {
  form?.addEventListener("submit", (event) => { isSent ||= !event.defaultPrevented; });
}
document.addEventListener("work-over", (event) => { if (forms.some(hasChanges)) event.preventDefault(); });
addEventListener("beforeunload", (event) => { if (!isSent && forms.some(hasChanges)) event.preventDefault(); });

// Entering a known player chooses that player.
for (const field of document.querySelectorAll(".looked-up input[type=text]")) {
  const chosen = field.closest(".looked-up").querySelector("input[type=radio]");
  for (const kind of ["input", "change"]) {
    field.addEventListener(kind, () => { if (field.value.trim()) chosen.checked = true; });
  }
}
