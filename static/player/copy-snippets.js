// Add a button that copies each snippet.
const words = document.querySelector("[data-copy-word]")?.dataset;

function withButton(field) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button button-small";
  button.textContent = words.copyWord;
  button.setAttribute("aria-describedby", field.id);
  button.addEventListener("click", async () => {
    field.select();
    await navigator.clipboard.writeText(field.value);
    button.textContent = words.copiedWord;
    setTimeout(() => { button.textContent = words.copyWord; }, 2000);
  });
  return button;
}

for (const field of document.querySelectorAll("[data-snippet]")) {
  field.addEventListener("focus", () => field.select());
  // Browsers offer the clipboard on secure pages only.
  if (navigator.clipboard) field.after(withButton(field));
}
