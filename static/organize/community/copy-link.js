// Adds a button to each field that copies its text. Without JavaScript, people select it by hand.
for (const field of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button button-small";
  button.textContent = field.dataset.copy;
  button.addEventListener("click", async () => {
    field.select();
    await navigator.clipboard.writeText(field.value);
    button.textContent = field.dataset.copied;
  });
  // Only secure pages have a clipboard.
  const line = document.createElement("p");
  line.append(button);
  if (navigator.clipboard) field.after(line);
  field.addEventListener("focus", () => field.select());
}
