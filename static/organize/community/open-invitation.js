// Sends the secret of an invitation, which follows the # in its link, and removes it from the browser's history.
const form = document.querySelector("[data-invitation]");
const secret = location.hash.slice(1);
if (secret) {
  history.replaceState(null, "", location.pathname);
  form.elements.link.value = secret;
  form.submit();
}
