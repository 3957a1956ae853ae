// The search of a portal. A page that was opened from a file may not fetch another one, so the index is a script, loaded when it is needed.
"use strict";
(() => {
  const MOST = 50;
  const root = document.currentScript.dataset.root;
  const form = document.querySelector("form");
  const input = form.querySelector("input");
  const list = form.querySelector("ol");
  let entries = null;

  form.hidden = false;

  function load() {
    if (entries !== null) return;
    entries = [];
    const script = document.createElement("script");
    script.src = root + "search.js";
    script.onload = () => {
      const { texts, activities, others } = window.portalIndex;
      const page = (id) => { const [step, unit] = id.split("@"); return `activities/${unit}/${step}.html`; };
      const entry = (id, title, state, path) => ({ id, title: texts[title], state: texts[state], path, text: `${id} ${texts[title]} ${texts[state]}`.toLowerCase() });
      entries = [
        ...activities.map(([id, title, state]) => entry(id, title, state, page(id))),
        ...others.map(([id, title, state, path]) => entry(id, title, state, path)),
      ];
      show();
    };
    document.head.append(script);
  }

  function show() {
    const wanted = input.value.trim().toLowerCase();
    list.replaceChildren();
    if (!wanted || entries === null) return;
    const words = wanted.split(/\s+/);
    const found = entries.filter((one) => words.every((word) => one.text.includes(word)));
    const begins = (one) => (one.text.startsWith(wanted) ? 0 : 1);
    found.sort((a, b) => begins(a) - begins(b));
    for (const one of found.slice(0, MOST)) list.append(item(one));
    if (found.length > MOST) list.append(said(`and ${found.length - MOST} more`));
    if (!found.length && entries.length) list.append(said("nothing is called that"));
  }

  // Text from people becomes a text node here and nothing else.
  function item(one) {
    const link = document.createElement("a");
    link.href = root + one.path.split("/").map(encodeURIComponent).join("/");
    for (const [tag, text] of [["b", one.id], ["span", one.title], ["small", one.state]]) {
      const part = document.createElement(tag);
      part.textContent = text;
      link.append(part);
    }
    const line = document.createElement("li");
    line.append(link);
    return line;
  }

  function said(text) {
    const line = document.createElement("li");
    const part = document.createElement("span");
    part.textContent = text;
    line.append(part);
    return line;
  }

  function move(step) {
    const links = [...list.querySelectorAll("a")];
    const next = links.indexOf(document.activeElement) + step;
    (next < 0 ? input : links[Math.min(next, links.length - 1)])?.focus();
  }

  input.addEventListener("focus", load);
  input.addEventListener("input", () => { load(); show(); });
  form.addEventListener("submit", (event) => { event.preventDefault(); list.querySelector("a")?.click(); });
  form.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); move(event.key === "ArrowDown" ? 1 : -1); }
    if (event.key === "Escape") { input.value = ""; show(); input.blur(); }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
  });
  document.addEventListener("click", (event) => { if (!form.contains(event.target)) list.replaceChildren(); });
})();
