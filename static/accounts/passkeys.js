// Shows the buttons for passkeys where the browser has them, and says so if one fails; allauth's scripts do the rest.
if (window.PublicKeyCredential) {
  for (const element of document.querySelectorAll("[data-passkey]")) element.hidden = false;
}
document.addEventListener("allauth.error", (event) => {
  event.preventDefault();
  for (const element of document.querySelectorAll("[data-passkey-problem]")) element.hidden = false;
});
