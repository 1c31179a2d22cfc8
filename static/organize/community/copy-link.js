// A button that copies the link; without this one selects it by hand.
const field = document.querySelector("[data-copy]");
const button = document.createElement("button");
button.type = "button";
button.className = "button button-small";
button.textContent = "Copy";
button.addEventListener("click", async () => {
  field.select();
  await navigator.clipboard.writeText(field.value);
  button.textContent = "Copied";
});
// The clipboard is there on secure pages only.
const line = document.createElement("p");
line.append(button);
if (navigator.clipboard) field.after(line);
field.addEventListener("focus", () => field.select());
