// Keeps corrections and choices that were typed but not applied from being lost when the file is saved.
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

save?.addEventListener("submit", (event) => {
  const form = [...document.querySelectorAll("form[data-unapplied]")].find((each) => [...each.elements].some(isChanged));
  if (!form || isWarned) return;
  event.preventDefault();
  isWarned = true;
  warning.hidden = false;
  warning.querySelector("a").href = `#${form.closest("section").id}`;
  warning.scrollIntoView({ block: "center" });
});
