"use strict";
(function () {
  // What a pointer or the arrow keys find on a chart, told below it; the picture and its numbers, to keep ---------------
  const SPACE = "http://www.w3.org/2000/svg";
  function drawn(name, attributes, text) {
    const made = document.createElementNS(SPACE, name);
    Object.keys(attributes).forEach((key) => made.setAttribute(key, attributes[key]));
    if (text) made.textContent = text;
    return made;
  }
  function csv(columns) {
    const cell = (v) => (v === null ? "" : /[",\n]/.test(v) ? '"' + String(v).replace(/"/g, '""') + '"' : v);
    const names = Object.keys(columns), rows = columns[names[0]].map((_, i) => names.map((key) => cell(columns[key][i])));
    return [names.map(cell), ...rows].map((row) => row.join(",") + "\n").join("");
  }
  function told(text, share) {
    const x = Number(text);
    if (text === null) return "n/a";
    if (isNaN(x)) return text;
    const short = share ? Number((100 * x).toPrecision(3)) + "%" : Number(x.toPrecision(4)).toLocaleString("en");
    return short.replace("-", "\u2212");
  }
  function keep(name, type, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
  function start(figure) {
    const name = figure.dataset.name, columns = JSON.parse(figure.querySelector(".behind").textContent), head = Object.keys(columns);
    const rows = columns[head[0]].map((_, i) => head.map((key) => columns[key][i]));
    const heading = figure.querySelector("figcaption b:not([hidden])"), below = figure.querySelector("figcaption span");
    const shown = () => [...figure.querySelectorAll("svg")].find((svg) => svg.getBoundingClientRect().width) || figure.querySelector("svg");
    // Drawn again at other amounts: what was told of it holds no more.
    const again = () => figure.querySelector(".again");
    const foot = document.createElement("p"), said = document.createElement("span");
    foot.className = "keep";
    foot.append(said);
    function button(label, act) {
      const made = document.createElement("button");
      made.type = "button";
      made.textContent = label;
      made.setAttribute("aria-label", "Save as " + label + ": " + heading.textContent);
      made.addEventListener("click", act);
      foot.append(made);
    }
    button("SVG", () => {
      const svg = shown(), copy = svg.cloneNode(true), [, , w, h] = svg.getAttribute("viewBox").split(" ").map(Number);
      copy.querySelectorAll(".pointer").forEach((old) => old.remove());
      copy.setAttribute("viewBox", "-14 -44 " + (w + 28) + " " + (h + 54));
      copy.setAttribute("width", w + 28);
      copy.setAttribute("height", h + 54);
      copy.prepend(drawn("rect", { x: -14, y: -44, width: w + 28, height: h + 54, fill: "#f7f8fa" }));
      copy.append(drawn("text", { x: 0, y: -24, "font-size": 14, "font-weight": 600, fill: "#1b1f24" }, (figure.querySelector("figcaption b:not([hidden])") || heading).textContent));
      if (below) copy.append(drawn("text", { x: 0, y: -8, "font-size": 12, fill: "#5b6470" }, below.textContent));
      keep(name + ".svg", "image/svg+xml", new XMLSerializer().serializeToString(copy));
    });
    button("CSV", (event) => {
      if (again()) { event.target.disabled = true; said.textContent = "These numbers were at the first amounts."; return; }
      keep(name + ".csv", "text/csv", csv(columns));
    });
    figure.append(foot);

    const wanted = (figure.dataset.read || "").split(" ").filter((key) => head.includes(key));
    if (wanted.length < 2 || !rows.length) return;
    const at = wanted.map((key) => head.indexOf(key)), [titleX, titleY] = (figure.dataset.titles || "|").split("|");
    const [shareX, shareY] = (figure.dataset.shares || "00").split("").map(Number), limits = wanted.slice(-2).join() === "low,high";
    const values = limits ? at.slice(1, -2) : at.slice(1), cut = head.indexOf("threshold");
    const named = rows.some((row) => isNaN(Number(row[at[0]])));
    let place = -1;
    function show(svg, k) {
      if (again()) return;
      place = Math.max(0, Math.min(rows.length - 1, k));
      const row = rows[place], [left, top, right, bottom] = svg.dataset.box.split(" ").map(Number), ends = svg.dataset.ends.split(" ").map(Number);
      const inside = (v, low, high) => Math.max(0, Math.min(1, (v - low) / (high - low || 1)));
      const words = values.map((i) => (values.length === 1 && titleY ? titleY : head[i].replace(/_/g, " ")) + " " + told(row[i], shareY));
      if (limits && row[at[at.length - 2]] !== null) words[0] += " [" + told(row[at[at.length - 2]], shareY) + ", " + told(row[at[at.length - 1]], shareY) + "]";
      if (cut >= 0 && !at.includes(cut) && row[cut] !== null) words.push("threshold " + told(row[cut]));
      said.textContent = (named ? row[at[0]] : (titleX || head[at[0]]) + " " + told(row[at[0]], shareX)) + ": " + words.join(", ");
      let group = svg.querySelector(".pointer");
      if (!group) { group = drawn("g", { class: "pointer" }); svg.append(group); }
      group.replaceChildren();
      if (named) return;
      const x = left + inside(Number(row[at[0]]), ends[0], ends[1]) * (right - left);
      group.append(drawn("path", { d: "M" + x + " " + top + "V" + bottom, class: "sy-s-quiet", stroke: "#5b6470", fill: "none" }));
      values.forEach((i) => row[i] !== null && group.append(drawn("circle", { cx: x, cy: bottom - inside(Number(row[i]), ends[2], ends[3]) * (bottom - top), r: 4, class: "sy-f-ink", fill: "#1b1f24" })));
    }
    figure.querySelectorAll("svg").forEach((svg) => {
      if (!svg.dataset.box) return;
      svg.tabIndex = 0;
      svg.addEventListener("focus", () => said.setAttribute("aria-live", "polite"));
      const clear = () => { svg.querySelectorAll(".pointer").forEach((old) => old.remove()); };
      svg.addEventListener("pointermove", (event) => {
        const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width, ends = svg.dataset.ends.split(" ").map(Number);
        const [left, top, right, bottom] = svg.dataset.box.split(" ").map(Number), px = (event.clientX - box.left) * scale, py = (event.clientY - box.top) * scale;
        if (named) { show(svg, Math.round(ends[2] + (bottom - py) / (bottom - top) * (ends[3] - ends[2]))); return; }
        const x = ends[0] + (px - left) / (right - left) * (ends[1] - ends[0]);
        let near = 0;
        rows.forEach((row, i) => { if (row[at[0]] !== null && Math.abs(row[at[0]] - x) < Math.abs(rows[near][at[0]] - x)) near = i; });
        show(svg, near);
      });
      svg.addEventListener("pointerleave", clear);
      svg.addEventListener("blur", () => { clear(); said.removeAttribute("aria-live"); });
      svg.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -1e9, End: 1e9 }[event.key];
        if (!step) return;
        event.preventDefault();
        show(svg, (place < 0 && step < 0 ? rows.length : place) + step);
      });
    });
  }
  document.querySelectorAll("figure[data-name]").forEach(start);

  // Tables in another order ------------------------------------------------------------------------------------------
  function number(text) {
    const found = /^[<>]?([\u2212-]?[\d,]*\.?\d+(?:e[+-]?\d+)?)/.exec(text.trim());
    return found ? Number(found[1].replace(/,/g, "").replace("\u2212", "-")) : NaN;
  }
  document.querySelectorAll("main table").forEach((table) => {
    const body = table.tBodies[0], head = table.tHead && table.tHead.rows[0];
    if (!head || body.rows.length < 3 || table.closest("[data-role], .matrix, .rates")) return;
    [...head.cells].forEach((cell, i) => {
      if (!cell.textContent) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...cell.childNodes);
      cell.append(button);
      button.addEventListener("click", () => {
        const sign = cell.getAttribute("aria-sort") === "descending" ? 1 : -1, text = (row) => row.cells[i].textContent;
        [...head.cells].forEach((other) => other.removeAttribute("aria-sort"));
        cell.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
        // The row of all stays below those that it is made of.
        const list = [...body.rows], last = list[list.length - 1].cells[0].textContent === "all" ? list.pop() : null;
        list.sort((a, b) => {
          const [x, y] = [number(text(a)), number(text(b))];
          if (isNaN(x) || isNaN(y)) return isNaN(x) && isNaN(y) ? -sign * text(a).localeCompare(text(b)) : isNaN(x) ? 1 : -1;
          return sign * (x - y);
        });
        body.append(...list, ...(last ? [last] : []));
      });
    });
  });
})();
