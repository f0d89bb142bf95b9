"use strict";
(function () {
  // Numbers in words, as steelyard.words writes them -----------------------------------------------------------------
  const MINUS = "\u2212";
  const sign = (x, text) => (x < 0 && /[1-9]/.test(text) ? MINUS : "") + text;
  const exponent = (x) => Math.floor(Math.log10(Math.abs(x)));
  const power = (x, digits) => Math.abs(x).toExponential(digits).replace(/e([+-])(\d)$/, "e$10$2");

  // A value that lies exactly halfway goes to the even digit, which browsers do otherwise.
  function even(x, digits) {
    const halves = Math.abs(x) * Math.pow(2, digits + 1);
    if (halves > 9e15 || halves % 2 !== 1) return Math.abs(x);
    return 2 * Math.round(Math.abs(x) * Math.pow(10, digits) / 2) / Math.pow(10, digits);
  }
  function number(x, digits) {
    if (!isFinite(x)) return isNaN(x) ? "n/a" : x > 0 ? "infinite" : MINUS + "infinite";
    if (Math.abs(x) >= 1e15) return sign(x, power(x, 3));
    // toFixed rounds the number itself, as Python does; others round its shortest spelling.
    const [whole, rest] = even(x, digits).toFixed(digits).split(".");
    return sign(x, whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? "." + rest : ""));
  }
  function significant(x, digits) {
    if (x === 0) return "0";
    return exponent(x) < -6 ? sign(x, power(x, digits - 1)) : number(x, Math.max(0, digits - 1 - exponent(x)));
  }
  const count = (x) => number(x, Math.abs(x - Math.round(x)) < 1e-9 * Math.max(1, Math.abs(x)) ? 0 : 1);
  function percent(share) {
    const value = 100 * share;
    if (value > 0 && value < 1e-4 - 1e-12) return "<0.0001%";
    if (value < 100 && 100 - value < 1e-4 - 1e-12) return ">99.9999%";
    if (Math.abs(value - Math.round(value)) < 1e-9) return number(Math.round(value), 0) + "%";
    const nearer = Number(Math.min(value, Math.abs(100 - value)).toFixed(12));
    return number(value, nearer >= 0.95 ? 1 : 1 - exponent(nearer)) + "%";
  }
  // Shares told together have as many digits as any of them needs.
  function percents(shares) {
    const alone = shares.map(percent), known = (text) => !/[<>]/.test(text);
    const digits = Math.max(...alone.filter(known).map((text) => (text.slice(0, -1).split(".")[1] || "").length));
    return alone.map((text, i) => (known(text) ? number(100 * shares[i], digits) + "%" : text));
  }
  const bracketed = (low, high) => "[" + low + ", " + high + "]";
  function parts(found) {
    const [value, low, high] = found;
    if (low === null) return [significant(value, 3), "", ""];
    const half = (high - low) / 2, size = Math.max(Math.abs(low), Math.abs(high)), largest = Math.max(size, Math.abs(value));
    let digits = half > 1e-11 * size ? Math.max(0, 1 - exponent(half)) : 3;
    if (low > 0 || high < 0) digits = Math.max(digits, 1 - exponent(value));
    if (digits > 6 && largest > 0 && largest < 1e-4) {
      const places = Math.max(1, digits + exponent(largest));
      return found.map((v) => (v ? sign(v, power(v, places)) : "0"));
    }
    const told = found.map((v) => number(v, Math.min(digits, 12)));
    if (value !== 0 && !/[1-9]/.test(told[0])) told[0] = significant(value, 2);
    return told;
  }

  // Intervals, as steelyard.intervals works them out -----------------------------------------------------------------
  // Under sampling weights a share rests on as many rows as would give the same spread, and on little more than Kish's number;
  // `part2` and `whole2` are squares.
  function effective(part, whole, part2, whole2, most) {
    const p = part / whole, kish = whole * whole / whole2, rest = whole - part, rest2 = whole2 - part2;
    const spread = (1 - p) * (1 - p) * part2 + p * p * rest2;
    if (!(p > 0 && p < 1 && spread > 0 && part2 > 0 && rest2 > 0)) return kish;
    const own = Math.min(part * part / part2, rest * rest / rest2);
    return Math.min(p * (1 - p) * whole * whole / spread, kish * (1 + own / 100), most);
  }
  function wilson(part, whole, n, z) {
    if (!(whole > 0)) return null;
    const p = part / whole, middle = 2 * n * p + z * z, half = z * Math.sqrt(z * z + 4 * n * p * (1 - p)), bottom = 2 * (n + z * z);
    return [p, p === 0 ? 0 : Math.max(0, (middle - half) / bottom), p === 1 ? 1 : Math.min(1, (middle + half) / bottom)];
  }
  // The logarithm of the gamma function, after Lanczos.
  const LANCZOS = [676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];
  function lnGamma(x) {
    const sum = LANCZOS.reduce((a, c, i) => a + c / (x + i), 0.99999999999980993), t = x + 6.5;
    return 0.9189385332046727 + (x - 0.5) * Math.log(t) - t + Math.log(sum);
  }
  // The incomplete gamma and beta functions by their series, and where they reach a chance.
  function gammaBelow(a, x) {
    let term = 1 / a, sum = term;
    for (let k = 1; k < 500 && term > 1e-17 * sum; k += 1) { term *= x / (a + k); sum += term; }
    return x > 0 ? sum * Math.exp(a * Math.log(x) - x - lnGamma(a)) : 0;
  }
  function betaBelow(a, b, x) {
    if (x > 0.5) return 1 - betaBelow(b, a, 1 - x);
    let term = 1, sum = 1 / a;
    for (let k = 1; k < 500 && Math.abs(term) > 1e-18; k += 1) { term *= (k - b) * x / k; sum += term / (a + k); }
    return x > 0 ? sum * Math.exp(a * Math.log(x) + lnGamma(a + b) - lnGamma(a) - lnGamma(b)) : 0;
  }
  function reaches(below, chance, most) {
    let low = 0, high = most;
    for (let k = 0; k < 80; k += 1) { const x = (low + high) / 2; if (below(x) < chance) low = x; else high = x; }
    return (low + high) / 2;
  }
  // Wilson's limits; Clopper and Pearson's of five rows and fewer, Poisson's with one to three rows on a side of many.
  function share(part, whole, n, z, tail) {
    const found = wilson(part, whole, n, z);
    if (!found) return null;
    const round = (x) => Math.round(x * 1e9) / 1e9, all = round(n), k = round(found[0] * n), rest = all - k;
    if (all > 0 && all <= 5) {
      found[1] = k <= 0 ? 0 : reaches((x) => betaBelow(k, rest + 1, x), tail, 1);
      found[2] = rest <= 0 ? 1 : reaches((x) => betaBelow(k + 1, rest, x), 1 - tail, 1);
    }
    if (all > 50 && k >= 1 && k <= 3) found[1] = Math.min(found[1], reaches((x) => gammaBelow(k, x), 2 * tail, 20) / all);
    if (all > 50 && rest >= 1 && rest <= 3) found[2] = Math.max(found[2], 1 - reaches((x) => gammaBelow(rest, x), 2 * tail, 20) / all);
    return [found[0], Math.min(found[0], found[1]), Math.max(found[0], found[2])];
  }
  // Rubin's Bayesian bootstrap with half a row of prior in each outcome, quantiles after Cornish and Fisher. Outcomes are
  // those of positives (flagged, not flagged), then those of negatives.
  function worth(counts, squares, values, z) {
    const rows = counts.reduce((a, b) => a + b), sum = counts.reduce((a, n, i) => a + n * values[i], 0);
    const level = [0, 0, 2, 2], made = [0, 1, 0, 1].map((side) => counts[side] + counts[side + 2] > 0);
    const own = level.map((k) => (squares ? (squares[k] + squares[k + 1]) / (counts[k] + counts[k + 1]) : 1));
    const n = counts.map((c, i) => c + (made[i] ? 0.5 * own[i] : 0)), total = n.reduce((a, b) => a + b);
    const over = (weights, of) => weights.reduce((a, w, i) => a + w * of(values[i]), 0);
    const mean = over(n, (v) => v) / total, skew = over(n, (v) => Math.pow(v - mean, 3)) / total;
    let size = total, spread = Math.max(over(n, (v) => v * v) / total - mean * mean, 0) / (total + 1);
    if (squares) {
      const both = squares.map((q, i) => q + (made[i] ? 0.5 * own[i] * own[i] : 0)), all = over(both, () => 1);
      size = total * total / all;
      spread = Math.max(over(both, (v) => v * v) - 2 * mean * over(both, (v) => v) + mean * mean * all, 0) / (total * total) * size / (size + 1);
    }
    const error = Math.sqrt(spread), lean = 2 * skew / ((size + 1) * (size + 2)) / Math.pow(error, 3);
    const shift = (isFinite(lean) ? Math.max(-2, Math.min(2, lean)) : 0) * (z * z - 1) / 6;
    const low = rows * (mean + error * (shift - z)), high = rows * (mean + error * (shift + z));
    return isFinite(low) && isFinite(high) ? [sum, Math.min(sum, low), Math.max(sum, high)] : [sum, null, null];
  }

  // Drawing ----------------------------------------------------------------------------------------------------------
  function element(name, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.keys(attributes).forEach((key) => made.setAttribute(key, attributes[key]));
    if (text !== undefined) made.textContent = text;
    return made;
  }
  const numbers = (text) => text.split(" ").map(Number);

  // A line at x, and a ring on it where y is known.
  function mark(svg, x, y) {
    const [left, top, right, bottom] = numbers(svg.dataset.box), ends = numbers(svg.dataset.ends);
    let group = svg.querySelector(".marker");
    if (!group) {
      svg.querySelectorAll("circle.sy-s-ink").forEach((old) => old.remove());
      group = element("g", { class: "marker" });
      group.append(element("path", { class: "sy-s-quiet", stroke: "#5b6470", "stroke-dasharray": "2 3", fill: "none" }));
      group.append(element("circle", { class: "sy-s-ink sy-f-paper", r: 6, stroke: "#1b1f24", "stroke-width": 3, fill: "#f7f8fa" }));
    }
    const inside = (v, low, high) => Math.max(0, Math.min(1, (v - low) / (high - low || 1)));
    const px = left + inside(x, ends[0], ends[1]) * (right - left);
    group.firstChild.setAttribute("d", "M" + px + " " + top + "V" + bottom);
    group.lastChild.setAttribute("visibility", y === undefined ? "hidden" : "visible");
    if (y !== undefined) {
      group.lastChild.setAttribute("cx", px);
      group.lastChild.setAttribute("cy", bottom - inside(y, ends[2], ends[3]) * (bottom - top));
    }
    // Above all else, whatever was drawn since.
    svg.append(group);
  }
  // Lines with names at the places that matter, which stay where they are while the marker moves. Of two the left one is named
  // to its left and the right one to its right, so that neither name lies on the other's line.
  function places(svg, list) {
    const [left, top, right, bottom] = numbers(svg.dataset.box), [low, high] = numbers(svg.dataset.ends);
    svg.querySelectorAll(".places").forEach((old) => old.remove());
    const group = element("g", { class: "places" }), named = [];
    const shown = list.filter(([, x]) => x >= low && x <= high).map(([name, x, tint, colour]) =>
      ({ name, tint, colour, wide: 7 * name.length + 7, px: left + (x - low) / (high - low || 1) * (right - left) })).sort((a, b) => a.px - b.px);
    shown.forEach(({ px, wide }, i) => {
      const before = px - wide >= left - 6, after = px + wide <= right + 20, end = before && (!after || (shown.length > 1 ? i === 0 : px > (left + right) / 2));
      const from = end ? px - wide : px, to = from + wide;
      named.push({ end, from, to, line: named.filter((n) => n.from < to && from < n.to).length });
    });
    shown.forEach(({ name, tint, colour, px }, i) => {
      // Where another's name has no other place, a line begins below it.
      const over = named.filter((n, k) => k !== i && n.from < px && px < n.to).map((n) => n.line + 1), start = top + 14 * Math.max(0, ...over);
      group.append(element("path", { d: "M" + px + " " + start + "V" + bottom, class: "sy-s-" + tint, stroke: colour, "stroke-width": 1.5, "stroke-dasharray": "5 3", fill: "none" }));
      group.append(element("text", { x: px + (named[i].end ? -5 : 5), y: top + 10 + 14 * named[i].line, "text-anchor": named[i].end ? "end" : "start", "font-size": 12, class: "sy-f-" + tint + " sy-s-paper", fill: colour, stroke: "#f7f8fa", "stroke-width": 3, "paint-order": "stroke" }, name));
    });
    svg.append(group);
  }
  // Round values between two ends, in words that are short, as steelyard.charts.scales finds them.
  function ticks(low, high) {
    const rough = (high - low) / 5, ten = Math.pow(10, exponent(rough)), step = ten * [1, 2, 2.5, 5, 10].find((m) => m * ten >= rough * (1 - 1e-9));
    const size = Math.max(Math.abs(low), Math.abs(high)), found = [];
    const unit = [[1e12, "T"], [1e9, "bn"], [1e6, "m"], [1e3, "k"]].find((u) => size >= 10 * u[0]) || [1, ""];
    const digits = Math.max(0, -Math.floor(Math.log10(step / unit[0]) + 1e-9));
    for (let i = Math.ceil(low / step - 1e-9); i <= Math.floor(high / step + 1e-9); i++) {
      const v = i * step;
      found.push([v, v === 0 ? "0" : size >= 1e16 || digits > 6 ? significant(v, 2) : number(v / unit[0], digits) + unit[1]]);
    }
    return found;
  }
  // The curve of profit or cost drawn again: its band, its line, and an axis that holds them.
  const NAMED = 0.22, DIAMOND = "M0-5.4L5.4 0L0 5.4L-5.4 0Z";
  function redraw(svg, rows, top, said) {
    const [left, roof, right, bottom] = numbers(svg.dataset.box), [first, end] = numbers(svg.dataset.ends);
    let low = Math.min(0, ...rows.map((r) => r[2])), high = Math.max(0, ...rows.map((r) => r[3]));
    if (!(high > low)) { low -= 0.5; high += 0.5; }
    const room = 0.04 * (high - low);
    low -= low < 0 ? room : 0; high += high > 0 ? room : 0;
    // Above the curve of the workbench there is room for the names of places.
    if (svg.closest(".drawn")) high += NAMED * (high - low);
    const X = (v) => (left + Math.max(0, Math.min(1, (v - first) / (end - first || 1))) * (right - left)).toFixed(1), Y = (v) => (bottom - (v - low) / (high - low) * (bottom - roof)).toFixed(1);
    const path = (list, k) => list.map((r) => X(r[0]) + " " + Y(r[k])).join("L");
    const group = element("g", { class: "again" });
    ticks(first, end).forEach(([share]) => group.append(element("path", { d: "M" + X(share) + " " + roof + "V" + bottom, class: "sy-s-grid", stroke: "#dfe3e8", fill: "none" })));
    ticks(low, high).forEach((tick) => {
      group.append(element("path", { d: "M" + left + " " + Y(tick[0]) + "H" + right, class: tick[0] ? "sy-s-grid" : "sy-s-quiet", stroke: tick[0] ? "#dfe3e8" : "#5b6470", fill: "none" }));
      group.append(element("text", { x: left - 7, y: Number(Y(tick[0])) + 4, "text-anchor": "end", "font-size": 12, class: "sy-f-quiet", fill: "#5b6470" }, tick[1]));
    });
    group.append(element("path", { d: "M" + path(rows, 3) + "L" + path(rows.slice().reverse(), 2) + "Z", class: "sy-f-0", fill: "#0063a8", "fill-opacity": 0.22 }));
    group.append(element("path", { d: "M" + path(rows, 1), class: "sy-s-0", stroke: "#0063a8", "stroke-width": 2, fill: "none" }));
    group.append(element("path", { d: DIAMOND, transform: "translate(" + X(top[0]) + " " + Y(top[1]) + ")", class: "sy-f-0", fill: "#0063a8" }));
    svg.querySelectorAll(".again, .marker, .places").forEach((old) => old.remove());
    // What told the old amounts goes: all that was drawn, and the words beside the axis. Depths and titles stay.
    svg.querySelectorAll("path, circle, rect").forEach((old) => old.remove());
    svg.querySelectorAll("text:not([transform])").forEach((old) => { if (Number(old.getAttribute("x")) < left) old.remove(); });
    svg.append(group);
    svg.querySelectorAll("desc").forEach((old) => { old.textContent = said; });
    svg.setAttribute("aria-label", said);
    svg.dataset.ends = first + " " + end + " " + low + " " + high;
  }

  const changed = new Set();
  // One model's explorer ---------------------------------------------------------------------------------------------
  function start(root) {
    const data = JSON.parse(root.querySelector(".data").textContent), last = data.t.length - 1;
    // Everything of this model lies in boxes that carry its name; the nearest of them holds the matrix and the rates.
    const box = '[data-model="' + root.dataset.model + '"]', scope = root.parentElement.closest(box) || root.closest("section");
    const sums = (steps) => { let sum = 0; return steps.map((step) => (sum += step)); };
    const tp = sums(data.tp), fp = sums(data.fp), P = tp[last], N = fp[last], all = P + N;
    const tp2 = data.tp2 && sums(data.tp2), fp2 = data.fp2 && sums(data.fp2);
    const role = (name) => root.querySelector('[data-role="' + name + '"]');
    const slider = role("slider"), cut = role("cut"), depth = role("depth"), sentence = role("sentence");
    const values = data.values.slice(), better = data.kind === "cost" ? -1 : 1;
    let at = data.at, beside = data.at, touched = false;

    const outcomes = (k) => [tp[k], P - tp[k], fp[k], N - fp[k]];
    const squares = (k) => (tp2 ? [tp2[k], tp2[last] - tp2[k], fp2[k], fp2[last] - fp2[k]] : null);
    function money(k) {
      if (data.worth && !touched) return [data.worth.value[k], data.worth.low[k], data.worth.high[k]];
      const found = worth(outcomes(k), squares(k), values, data.z);
      return data.units ? [found[0], null, null] : found;
    }
    const goals = {
      // What is the same at every cut is left out, so that large amounts do not drown small differences.
      worth: (k) => better * (data.worth && !touched ? data.worth.value[k] : tp[k] * (values[0] - values[1]) + fp[k] * (values[2] - values[3])),
      f1: (k) => 2 * tp[k] / (tp[k] + fp[k] + P),
      ks: (k) => Math.abs(tp[k] / P - fp[k] / N)
    };
    // The first of the best cuts, which flags fewest; what rounding alone tells apart is equal.
    function best(goal) {
      const found = data.t.map((_, k) => goal(k)), top = found.reduce((a, b) => Math.max(a, b));
      return found.findIndex((v) => v >= top - 1e-12 * Math.max(Math.abs(top), 1e-300));
    }
    // What the page told before the script ran, which holds for the threshold in force.
    const cells = {}, first = {};
    scope.querySelectorAll("[data-cell]").forEach((node) => {
      cells[node.dataset.cell] = node;
      first[node.dataset.cell] = node.textContent;
    });
    function put(name, text) { if (cells[name]) cells[name].textContent = text; }
    const named = (k) => (k === data.at && data.threshold !== null ? String(data.threshold) : data.t[k] === null ? "nobody" : String(data.t[k]));
    // A rate at one of the cuts, and its interval.
    function rated(name, of, within, k) {
      const pick = (c) => [of, within].map((places) => places.reduce((a, i) => a + c[i], 0));
      const [part, whole] = pick(outcomes(k)), [part2, whole2] = tp2 ? pick(squares(k)) : [0, 0];
      const n = tp2 ? effective(part, whole, part2, whole2, data.rows) : whole;
      let found = name === "f1" ? wilson(part, whole, n, data.z) : share(part, whole, n, data.z, data.tail);
      if (found && name === "f1") found = found.map((v) => 2 * v / (1 + v));
      if (!found) return ["n/a", ""];
      if (data.units) return k === data.at ? [first[name], first[name + "-interval"]] : [percent(found[0]), NOT_FOLLOWED];
      const told = percents(found);
      return [told[0], bracketed(told[1], told[2])];
    }
    function rate(name, of, within) {
      const told = rated(name, of, within, at);
      put(name, told[0]);
      put(name + "-interval", told[1]);
      put(name + "-beside", rated(name, of, within, beside)[0]);
    }
    const NOT_FOLLOWED = "by unit: known for the threshold in force";

    function show(k) {
      at = Math.max(0, Math.min(last, k));
      const c = outcomes(at), flagged = c[0] + c[2], found = money(at), told = parts(found);
      slider.value = last - at;
      slider.setAttribute("aria-valuetext", data.t[at] === null ? "nobody flagged" : "score at least " + data.t[at] + ", " + percent(flagged / all) + " flagged");
      cut.value = at === data.at && data.threshold !== null ? data.threshold : data.t[at] === null ? "" : data.t[at];
      depth.value = Number((100 * flagged / all).toPrecision(3));
      put("chosen", "chosen " + named(at));
      put("beside", (beside === data.at ? "in force " : "compared ") + named(beside));
      ["tp", "fn", "fp", "tn"].forEach((name, i) => {
        put(name, count(c[i]));
        put(name + "-share", percent(c[i] / (i < 2 ? P : N)) + (i < 2 ? " of positives" : " of negatives"));
      });
      rate("recall", [0], [0, 1]); rate("fpr", [2], [2, 3]); rate("specificity", [3], [2, 3]);
      rate("precision", [0], [0, 2]); rate("accuracy", [0, 3], [0, 1, 2, 3]); rate("f1", [0], [0, 1, 2]);
      const here = at === data.at && !touched && first["worth-interval"];
      const range = told[1] ? bracketed(told[1], told[2]) : data.units ? here || NOT_FOLLOWED : "";
      put("worth", here ? first.worth : told[0]);
      put("worth-beside", beside === data.at && !touched && first["worth-interval"] ? first["worth-beside"] : parts(money(beside))[0]);
      put("worth-interval", range);
      sentence.textContent = "Flagging " + count(flagged) + " of " + count(all) + " rows catches " + count(c[0]) + " of " + count(P) +
        " positives and raises " + count(c[2]) + (c[2] === 1 ? " false alarm" : " false alarms") + ". The " + data.kind + " is " + (here ? first.worth : told[0]) +
        (range && range !== NOT_FOLLOWED ? " " + range : "") + (at === best(goals.worth) ? ": no other threshold does better at these amounts." : ".");
      const spots = {
        "fpr tpr": [c[2] / N, c[0] / P],
        "tpr precision": [c[0] / P, flagged ? c[0] / flagged : undefined],
        "depth tpr": [flagged / all, c[0] / P],
        "depth lift": [flagged / all, flagged ? c[0] / P / (flagged / all) : undefined],
        threshold: [cutAt(at)]
      };
      spots["depth " + data.kind] = [flagged / all, found[0]];
      spots["threshold " + data.kind] = [spots.threshold[0], found[0]];
      live.forEach((svg) => {
        const spot = spots[svg.dataset.live];
        if (spot) mark(svg, spot[0], spot[1]);
      });
      if (touched) retell();
    }
    const live = [...document.querySelectorAll(box + " svg[data-live]")], tops = scope.querySelectorAll(".drawn svg[data-live]");

    // Where it matters: in force, best, and where probabilities let acting pay.
    function even() {
      const gain = better * (values[0] - values[1]), loss = better * (values[3] - values[2]), point = loss / (gain + loss);
      return data.probabilities && gain > 0 && loss > 0 ? place(point) : null;
    }
    const place = (wanted) => data.t.reduce((k, t, i) => (t === null || t >= wanted ? i : k), 0);
    const cutAt = (k) => (k === data.at && data.threshold !== null ? data.threshold : data.t[k] === null ? Infinity : data.t[k]);
    function point() {
      const top = best(goals.worth), pays = even(), rail = role("marks");
      const list = [["best " + named(top), top, "best"], ["in force " + named(data.at), data.at, "now"]];
      if (pays !== null) list.push(["break-even", pays, "even"]);
      const room = rail.clientWidth;
      // A word stands to the right of its stroke, or to the left: where it must, and where it is in nobody's way there.
      const laid = (sides) => list.map(([name, k, kind], i) => {
        const share = (last - k) / last, wide = 7.2 * name.length, at = share * room, back = (sides >> i & 1) !== (at + wide > room ? 1 : 0);
        return { name, kind, share, back, at, from: back ? at - 5 - wide : at + 6, to: back ? at - 5 : at + 6 + wide };
      });
      // Words in one line keep apart, and the stroke of a word above goes through none below.
      const meets = (placed, rows) => placed.some((a, i) => placed.some((b, j) => i !== j && (rows[i] === rows[j] ? a.from < b.to + 4 && b.from < a.to + 4
        : rows[i] > rows[j] && a.at > b.from - 4 && a.at < b.to + 2)));
      const orders = Array.from({ length: 27 }, (_, n) => [n % 3, Math.floor(n / 3) % 3, Math.floor(n / 9)]);
      const ways = [0, 1, 2, 4, 3, 5, 6, 7].flatMap((sides) => orders.map((rows) => [laid(sides), rows, sides]));
      const fits = ([placed, rows, sides]) => !meets(placed, rows) && (!sides || placed.every((w) => w.from > -8 && w.to < room + 8));
      const [placed, lines] = ways.find(fits) || [laid(0), [0, 1, 2]];
      rail.replaceChildren(...placed.map(({ name, kind, share, back }, i) => {
        const made = element("g", { class: kind }), x = 100 * share + "%", y = 49 - 16 * lines[i];
        made.append(element("rect", { x: x, y: y - 11, width: 2, height: 51 - y + 11, fill: "currentColor" }));
        made.append(element("text", { x: x, y: y, dx: back ? -5 : 6, "text-anchor": back ? "end" : "start", fill: "currentColor" }, name));
        return made;
      }));
      root.querySelectorAll("[data-best=even]").forEach((button) => { button.hidden = pays === null; });
      const marks = [["in force " + named(data.at), cutAt(data.at), "quiet", "#5b6470"], ["best " + named(top), cutAt(top), 0, "#0063a8"]];
      if (top === data.at) marks.shift();
      tops.forEach((svg) => places(svg, marks));
    }
    // A chart is as good as the slider: whoever drags along it chooses the cut that lies nearest.
    live.forEach((svg) => {
      const along = {
        threshold: (k) => (data.t[k] === null ? Infinity : data.t[k]), fpr: (k) => fp[k] / N, tpr: (k) => tp[k] / P, depth: (k) => (tp[k] + fp[k]) / all
      }[svg.dataset.live.split(" ")[0]];
      if (!along || svg.dataset.chart === "calibration") return;
      const reach = (event) => {
        const [left, , right] = numbers(svg.dataset.box), [low, high] = numbers(svg.dataset.ends), seen = svg.getBoundingClientRect();
        const x = (event.clientX - seen.left) / seen.width * svg.viewBox.baseVal.width, wanted = low + (x - left) / (right - left) * (high - low);
        let nearest = 0, least = Infinity;
        for (let k = 0; k <= last; k++) { const away = Math.abs(along(k) - wanted); if (away < least) { least = away; nearest = k; } }
        show(x > right && along(0) === Infinity ? 0 : nearest);
      };
      svg.classList.add("drag");
      svg.addEventListener("pointerdown", (event) => { svg.setPointerCapture(event.pointerId); reach(event); event.preventDefault(); });
      svg.addEventListener("pointermove", (event) => { if (svg.hasPointerCapture(event.pointerId)) reach(event); });
    });
    // What is told elsewhere on the page and hangs on the amounts: in words, beside the policies, and at the best threshold.
    const valued = (k, amounts) => { const found = worth(outcomes(k), squares(k), amounts, data.z); return data.units ? [found[0], null, null] : found; };
    const fixed = (f) => f[1] !== null && Math.abs(f[2] - f[1]) <= 1e-9 * Math.max(1, Math.abs(f[0]));
    const alone = (f) => (fixed(f) ? sign(f[0], String(Number(Math.abs(f[0]).toPrecision(12))).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ",")) : parts(f)[0]);
    const ends = (f) => { const told = parts(f); return told[1] && !fixed(f) ? bracketed(told[1], told[2]) : ""; };
    const both = (f) => (alone(f) + " " + ends(f)).trim();
    function policies(k) {
      const [a, b, f, d] = values, c = outcomes(k), q = (c[0] + c[2]) / all, mixed = [q * a + (1 - q) * b, q * f + (1 - q) * d];
      const rules = [["flag everybody", [a, a, f, f]], ["flag nobody", [b, b, d, d]], ["at random", [mixed[0], mixed[0], mixed[1], mixed[1]]], ["perfect", [a, a, d, d]]];
      return rules.map(([name, own]) => ({ name, own: valued(k, own), ahead: valued(k, values.map((v, i) => better * (v - own[i]))) }));
    }
    function breakEven() {
      const gain = better * (values[0] - values[1]), loss = better * (values[3] - values[2]), point = Number((loss / (gain + loss)).toPrecision(3));
      if (gain > 0 && loss > 0) return "act where the probability is above " + point;
      if (gain < 0 && loss < 0) return "act where the probability is below " + point + ": acting on a positive costs more than it brings";
      return gain >= 0 && loss <= 0 ? "acting never costs anything: act always" : "acting never brings anything: never act";
    }
    const rivalOf = (list) => list.slice(0, 3).reduce((x, y) => (better * y.own[0] > better * x.own[0] ? y : x));
    const doing = (name) => ({ "flag everybody": "flagging everybody", "flag nobody": "flagging nobody" }[name] || "deciding at random");
    function judged(list, top) {
      const rival = rivalOf(list), f = rival.ahead;
      const name = doing(rival.name) + ", the best policy without a model";
      if (f[1] === null) return "Against " + name + ", it is ahead by " + significant(f[0], 3) + ".";
      if (fixed(f) && f[0] === 0) return "That is the same as " + name + ".";
      const sides = [Math.abs(f[1]), Math.abs(f[2])].sort((x, y) => x - y), told = parts([Math.abs(f[0]), sides[0], sides[1]]);
      const by = name + ", by " + told[0] + " " + bracketed(told[1], told[2]);
      if (f[1] > 0) return "That is better than " + by + ".";
      if (f[2] >= 0) return "No clear difference from " + name + ": " + both(f) + " better.";
      const moves = data.t[top] !== null && better * (money(top)[0] - rival.own[0]) > 1e-9 * Math.max(1, Math.abs(rival.own[0]));
      return "That is worse than " + by + ": " + (moves ? "move the threshold to " + data.t[top] + ", where on these rows it is " + alone(money(top)) + ", or do that instead." : "leave the model and do that instead.");
    }
    // The card of the first screen: the threshold in force, the best one on these rows, no model and perfect. What the luck of the
    // choice is worth only Python knows, so the best one is told before it.
    function card(top) {
      const list = policies(data.at), f = valued(data.at, values), there = money(top), rival = rivalOf(list), perfect = list[3].own[0];
      const other = top !== data.at && there[0] !== f[0], cutAs = data.t[top] === null ? "above every score" : "at " + data.t[top];
      const known = other ? "best " + alone(there) + " " + cutAs + ", before luck" : "no other threshold brings more";
      const said = ends(f) || (data.units ? "by unit: known for the first amounts" : "no interval");
      const seen = [f[0], rival.own[0], better > 0 ? 0 : rival.own[0], ...(other ? [there[0]] : []), ...(f[1] === null ? [] : [f[1], f[2]])];
      const start = better * Math.min(...seen.map((v) => better * v)), place = (v) => 200 * Math.max(0, Math.min(1, (v - start) / (perfect - start || 1)));
      document.querySelectorAll(box + ' [data-role="worth-card"]').forEach((node) => {
        const large = node.classList.contains("unsure") && ends(f), last = node.querySelector(".ends").lastChild;
        node.querySelector("b").textContent = large ? said : alone(f);
        node.querySelector(".note").textContent = large ? "found: " + alone(f) : said;
        node.querySelector("p").textContent = known + " \u00b7 no model " + alone(rival.own);
        last.textContent = "perfect " + count(Math.round(perfect));
        const svg = node.querySelector("svg"), bar = (kind, x, wide, y, high) => element("rect", { class: kind, x: x.toFixed(1), width: wide.toFixed(1), y: y, height: high });
        const range = f[1] === null || fixed(f) ? [] : [place(f[1]), place(f[2])].sort((x, y) => x - y);
        svg.replaceChildren(bar("track", 0, 200, 7, 4), ...(range.length ? [bar("range", range[0], Math.max(range[1] - range[0], 1), 4, 10)] : []),
          bar("without", place(rival.own[0]) - 0.6, 1.2, 0, 18), ...(other ? [bar("best", place(there[0]) - 1.2, 2.4, 2, 14)] : []), bar("value", place(f[0]) - 1.2, 2.4, 1, 16));
      });
      document.querySelectorAll(box + ' [data-role="now"]').forEach((node) => {
        node.textContent = "Now it is " + alone(f) + " at the threshold in force, " + (other ? alone(there) + " " + cutAs + ", the best on these rows before luck" : "and no other threshold brings more")
          + ", and " + alone(rival.own) + " by " + doing(rival.name) + ".";
      });
    }
    function retell() {
      const list = policies(at), top = best(goals.worth), found = money(at), there = money(top), c = outcomes(top), flagged = c[0] + c[2];
      const fill = (name, texts) => document.querySelectorAll(box + ' [data-role="' + name + '"]').forEach((node) => {
        node.replaceChildren(...texts.map((text) => { const p = document.createElement("p"); p.textContent = text; return p; }));
      });
      fill("worth-told", ["At the amounts and the threshold chosen above the " + data.kind + " of " + count(all) + " rows is " + both(found) + ".", judged(list, top), "Break-even: " + breakEven() + "."]);
      const goal = data.kind === "cost" ? "the least cost" : "the most profit";
      fill("best-told", [data.t[top] === null ? "Flag nobody: no threshold brings " + goal + "." : "Flag scores of at least " + data.t[top] + " for " + goal + ": " + count(flagged) + " rows, " + percent(flagged / all) + " of all.",
        "The " + data.kind + " there is " + both(there) + ". It was chosen on these same rows, which makes it look better than it is."]);
      document.querySelectorAll(box + ' [data-role="worth-table"] tbody').forEach((body) => {
        const rows = [["the model", alone(found), ends(found), ""], ...list.map((p) => [p.name, alone(p.own), ends(p.own), both(p.ahead)])];
        [...body.rows].forEach((row, i) => [...row.cells].forEach((cell, j) => { cell.textContent = rows[i][j]; }));
      });
    }
    function revalue() {
      const step = Math.max(1, Math.floor(last / 300)), shares = [], cuts = [], top = best(goals.worth), there = money(top)[0];
      for (let k = 0; k <= last; k += k < last ? Math.min(step, last - k) : 1) {
        const found = money(k), told = [found[0], found[1] === null ? found[0] : found[1], found[2] === null ? found[0] : found[2]];
        shares.push([(tp[k] + fp[k]) / all, ...told]);
        cuts.push([data.t[k] === null ? 1e300 : data.t[k], ...told]);
      }
      const said = " at the amounts typed in; the diamond marks the best";
      document.querySelectorAll(box + ' svg[data-chart="' + data.kind + '"]').forEach((svg) => {
        if (svg.dataset.live === "threshold " + data.kind) redraw(svg, cuts, [data.t[top] === null ? 1e300 : data.t[top], there], data.kind + " at every threshold" + said);
        else redraw(svg, shares, [(tp[top] + fp[top]) / all, there], data.kind + " against share of rows flagged" + said);
      });
      point();
    }
    // All that an amount changes, as it was at first.
    const follows = ["worth-told", "best-told", "worth-table", "worth-card"].map((name) => box + ' [data-role="' + name + '"]').concat(box + ' svg[data-chart="' + data.kind + '"]');
    const kept = [...document.querySelectorAll(follows.join())].map((node) => [node, node.cloneNode(true)]);
    function reset() {
      data.values.forEach((v, i) => { values[i] = v; });
      touched = false;
      kept.forEach(([node, old]) => {
        node.replaceChildren(...old.cloneNode(true).childNodes);
        ["aria-label", "data-ends"].forEach((name) => { if (old.hasAttribute(name)) node.setAttribute(name, old.getAttribute(name)); });
      });
      root.querySelectorAll("[data-value]").forEach((field) => { field.value = values[Number(field.dataset.value)]; });
      stamp();
      point();
      show(at);
    }
    // What cannot follow says that it is told at the first amounts.
    function stamp() {
      if (touched) changed.add(root); else changed.delete(root);
      // What is told of several models hangs on the amounts of each.
      const whose = (node) => node.closest("[data-model]"), mine = (node) => whose(node) === null || whose(node).dataset.model === root.dataset.model;
      const of = (name) => [...document.querySelectorAll("[" + name + "]")].filter(mine);
      of("data-given").forEach((node) => { node.hidden = touched; });
      of("data-changed").forEach((node) => { node.hidden = !touched; });
      of("data-amounts").forEach((node) => {
        const old = whose(node) ? touched : changed.size > 0;
        node.classList.toggle("stamped", old);
        node.querySelectorAll(".stamp").forEach((told) => { told.hidden = !old; });
      });
      role("reset").disabled = !touched;
    }

    slider.max = last;
    slider.addEventListener("input", () => show(last - Number(slider.value)));
    // A box that is left empty says what it said before; any number goes to the nearest cut that flags no more.
    cut.addEventListener("change", () => show(cut.value === "" ? at : place(Number(cut.value))));
    depth.addEventListener("change", () => {
      const wanted = Number(depth.value) / 100 * all * (1 + 1e-9);
      show(depth.value === "" ? at : tp.reduce((k, _, i) => (tp[i] + fp[i] <= wanted ? i : k), 0));
    });
    root.querySelectorAll("[data-value]").forEach((field) => {
      field.addEventListener("input", () => {
        const v = Number(field.value);
        if (field.value === "" || !isFinite(v)) return;
        values[Number(field.dataset.value)] = v;
        touched = true;
        stamp();
        revalue();
        card(best(goals.worth));
        show(at);
      });
    });
    root.querySelectorAll("[data-best]").forEach((button) => {
      button.addEventListener("click", () => show(button.dataset.best === "current" ? data.at : button.dataset.best === "even" ? even() : best(goals[button.dataset.best])));
    });
    role("reset").addEventListener("click", reset);
    role("pin").addEventListener("click", () => { beside = at === beside ? data.at : at; show(at); });
    root.querySelectorAll("[hidden]").forEach((node) => { node.hidden = false; });
    show(at);
    point();
  }
  document.querySelectorAll(".explorer").forEach(start);
  window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
})();
