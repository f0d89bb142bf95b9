"use strict";
(() => {
  const main = document.querySelector("main[data-live]");
  const said = document.querySelector(".said-live");
  const busy = () => {
    const at = document.activeElement;
    const typing = at && main.contains(at) && /^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName) && at.type !== "submit";
    return typing || main.querySelector(".does details[open]") || main.querySelector(".explorer:focus-within");
  };
  // Where the focus was before a part of the page is put in anew.
  const pathOf = (el) => {
    const all = [...main.querySelectorAll("a,button,summary,input,select,textarea")];
    return all.indexOf(el);
  };
  let waiting = false;
  async function renew() {
    if (busy()) { waiting = true; return; }
    waiting = false;
    const answer = await fetch(location.href, { headers: { accept: "text/html" }, cache: "no-cache" });
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = next.querySelector("main");
    if (!fresh || busy() || fresh.innerHTML === main.innerHTML) return;
    const at = pathOf(document.activeElement);
    const open = [...main.querySelectorAll("details")].map((d) => d.open);
    main.replaceChildren(...fresh.childNodes);
    main.querySelectorAll("details").forEach((d, i) => { if (open[i]) d.open = true; });
    if (at >= 0) main.querySelectorAll("a,button,summary,input,select,textarea")[at]?.focus({ preventScroll: true });
    document.title = next.title;
    said.textContent = "Brought up to date";
    setTimeout(() => { said.textContent = ""; }, 3000);
  }
  // A page with a workbench keeps what is set on it.
  if (main && !main.querySelector(".explorer")) {
    let first = true;
    const events = new EventSource(main.dataset.live);
    events.onmessage = () => { if (first) { first = false; return; } renew(); };
    addEventListener("focusout", () => { if (waiting) setTimeout(renew, 200); });
    addEventListener("pagehide", () => events.close());
  }
  // Keys: / finds, j and k go from row to row, Enter opens, a acknowledges.
  const rows = () => [...document.querySelectorAll(".models-board tbody tr")];
  let at = -1;
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
    const all = rows();
    if (e.key === "/" && document.querySelector("#find")) { e.preventDefault(); document.querySelector("#find").focus(); }
    if (!all.length) return;
    if (e.key === "j" || e.key === "k") {
      at = Math.max(0, Math.min(all.length - 1, at + (e.key === "j" ? 1 : -1)));
      all.forEach((r, i) => r.classList.toggle("chosen", i === at));
      all[at].querySelector("th a").focus();
    }
    if (e.key === "a" && at >= 0) all[at].querySelector('button[value="acknowledge"]')?.click();
  });
  const drop = document.querySelector(".drop");
  const file = drop && drop.querySelector("input[type=file]");
  if (file) {
    for (const name of ["dragover", "dragleave", "drop"])
      drop.addEventListener(name, (e) => { e.preventDefault(); drop.classList.toggle("over", name === "dragover"); });
    drop.addEventListener("drop", (e) => { file.files = e.dataTransfer.files; });
  }
})();
