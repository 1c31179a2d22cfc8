// Graphs need large scripts. They are in a template and load once the page is complete; until then, the page shows a picture
// drawn by the server.
function load() {
  for (const template of document.querySelectorAll("template[data-after-load]")) {
    const part = document.importNode(template.content, true);
    // In the order of the template: the last one needs the others.
    for (const script of part.querySelectorAll("script")) script.async = false;
    document.head.append(part);
  }
}

if (document.readyState === "complete") load();
else addEventListener("load", load, { once: true });
