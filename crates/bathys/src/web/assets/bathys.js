// What makes the pages handier. Every page works without it.
"use strict";

// Sticky choices in forms are sent at once where htmx does not do so.
document.addEventListener("change", (event) => {
  const form = event.target.closest("form.filters");
  if (form && !form.hasAttribute("hx-get") && event.target.matches("select, input[type=checkbox]")) {
    form.requestSubmit();
  }
});

// "/" goes to the field where a key can be typed, as in many other places.
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    document.querySelector(".go input").focus();
  }
});
