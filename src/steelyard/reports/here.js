(function () {
  // The line of the navigation that leads to what is in view is marked. Nothing else hangs on it.
  const lines = [...document.querySelectorAll("nav a")];
  const parts = lines.map((line) => document.getElementById(line.hash.slice(1)));
  if (!parts.every(Boolean) || !parts.length) return;
  let waiting = false;
  // As high as it is, since what sticks below it begins there.
  const nav = document.querySelector("nav"), sheet = document.styleSheets[0];
  let told = -1;
  function fit() {
    if (!sheet || nav.offsetHeight === told) return;
    if (told >= 0) sheet.deleteRule(sheet.cssRules.length - 1);
    told = nav.offsetHeight;
    sheet.insertRule(":root{--nav:" + told + "px}", sheet.cssRules.length);
  }
  function mark() {
    waiting = false;
    const top = Math.max(nav.getBoundingClientRect().bottom, 0) + 40;
    const end = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2;
    const passed = parts.filter((part) => part.getBoundingClientRect().top <= top).length - 1;
    const here = end && window.scrollY > 0 ? parts.length - 1 : passed;
    lines.forEach((line, i) => (i === here ? line.setAttribute("aria-current", "true") : line.removeAttribute("aria-current")));
  }
  window.addEventListener("scroll", () => { if (!waiting) { waiting = true; window.requestAnimationFrame(mark); } }, { passive: true });
  window.addEventListener("resize", fit);
  fit();
  mark();
})();
