"use strict";
(() => {
  const boxes = [...document.querySelectorAll(".box")];
  const find = (id) => document.getElementById(id);
  const make = (tag, text, kind) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (kind) e.className = kind;
    return e;
  };
  const row = (...cells) => { const r = make("tr"); r.append(...cells); return r; };
  const number = (v) => v === undefined ? "–" : v === 0 ? "0" : Math.abs(v) >= 1e-3 ? v.toFixed(4) : v.toExponential(1);

  // What a box holds: nothing, a drawing on its canvas, or a picture as it came.
  const held = new Map();
  const label = (box, what) => box.setAttribute("aria-label", box.getAttribute("aria-label").replace(/: .*/, ": " + what));
  const clear = (box) => {
    held.delete(box);
    box.getContext("2d").clearRect(0, 0, box.width, box.height);
    label(box, "empty");
  };

  const draw = (box) => {
    let last = null;
    const at = (e) => {
      const r = box.getBoundingClientRect();
      return [(e.clientX - r.left) * box.width / r.width, (e.clientY - r.top) * box.height / r.height];
    };
    const stroke = (to) => {
      const c = box.getContext("2d");
      c.lineWidth = box.width / 12;
      c.lineCap = c.lineJoin = "round";
      c.strokeStyle = "#000";
      c.beginPath();
      c.moveTo(...last);
      c.lineTo(...to);
      c.stroke();
      last = to;
    };
    box.addEventListener("pointerdown", (e) => {
      if (held.get(box) !== "drawing") clear(box);
      held.set(box, "drawing");
      label(box, "a drawing");
      box.setPointerCapture(e.pointerId);
      last = at(e);
      stroke(last);
      e.preventDefault();
    });
    box.addEventListener("pointermove", (e) => { if (last) stroke(at(e)); });
    for (const end of ["pointerup", "pointercancel"]) box.addEventListener(end, () => { last = null; });
    box.addEventListener("keydown", (e) => { if (e.key === "Delete" || e.key === "Backspace") clear(box); });
  };

  // Pictures larger than this are made smaller before they are sent.
  const mostSide = 1024;
  const hold = async (box, file) => {
    clear(box);
    const image = await createImageBitmap(file);
    const fit = (c, w, h) => c.drawImage(image, (w - image.width * Math.min(w / image.width, h / image.height)) / 2,
      (h - image.height * Math.min(w / image.width, h / image.height)) / 2,
      image.width * Math.min(w / image.width, h / image.height), image.height * Math.min(w / image.width, h / image.height));
    fit(box.getContext("2d"), box.width, box.height);
    let blob = file;
    const scale = mostSide / Math.max(image.width, image.height);
    if (scale < 1) {
      const small = make("canvas");
      small.width = Math.max(1, Math.round(image.width * scale));
      small.height = Math.max(1, Math.round(image.height * scale));
      small.getContext("2d").drawImage(image, 0, 0, small.width, small.height);
      blob = await new Promise((done) => small.toBlob(done, "image/png"));
    }
    held.set(box, blob);
    label(box, file.name);
  };

  const complain = (text) => { find("error").textContent = text; find("error").hidden = !text; };

  // Files fill the boxes from one on, in the order of their names.
  const take = async (files, from, among) => {
    complain("");
    const all = [...files].sort((a, b) => a.name < b.name ? -1 : 1);
    for (const [i, file] of all.entries()) {
      const box = among[from + i];
      if (!box) break;
      try { await hold(box, file); } catch { complain(file.name + " is no picture that this browser can read"); }
    }
  };

  for (const set of document.querySelectorAll("fieldset")) {
    const own = [...set.querySelectorAll(".box")];
    set.querySelector(".clear").addEventListener("click", () => own.forEach(clear));
    set.querySelector("input").addEventListener("change", (e) => { take(e.target.files, 0, own); });
  }
  for (const [i, box] of boxes.entries()) {
    draw(box);
    box.addEventListener("dragover", (e) => { e.preventDefault(); box.classList.add("over"); });
    box.addEventListener("dragleave", () => box.classList.remove("over"));
    box.addEventListener("drop", (e) => {
      e.preventDefault();
      box.classList.remove("over");
      take(e.dataTransfer.files, i, boxes);
    });
  }

  // A drawing is sent as dark ink on white paper.
  const blobOf = (box) => {
    const what = held.get(box);
    if (what !== "drawing") return what;
    const paper = make("canvas");
    paper.width = box.width;
    paper.height = box.height;
    const c = paper.getContext("2d");
    c.fillStyle = "#fff";
    c.fillRect(0, 0, paper.width, paper.height);
    c.drawImage(box, 0, 0);
    return new Promise((done) => paper.toBlob(done, "image/png"));
  };

  find("ask").addEventListener("submit", async (e) => {
    e.preventDefault();
    complain("");
    find("answer").hidden = true;
    const empty = boxes.findIndex((box) => !held.has(box));
    if (empty >= 0) {
      boxes[empty].focus();
      return complain("There is nothing in the " + boxes[empty].getAttribute("aria-label").replace(/: .*/, "") + ".");
    }
    const form = new FormData();
    for (const box of boxes) form.append("image", await blobOf(box), "digit.png");
    find("sum").disabled = true;
    try {
      const r = await fetch("/v2/models/" + encodeURIComponent(document.body.dataset.model) + "/explain", { method: "POST", body: form });
      const a = await r.json();
      if (!r.ok) return complain(a.error);
      show(a);
    } catch (err) {
      complain("The server does not answer: " + err.message);
    } finally {
      find("sum").disabled = false;
    }
  });

  const atoms = (list) => list.map((a) => a.atom + " = " + a.value.toFixed(2)).join(", ");

  const showPicture = (p) => {
    const out = make("div", undefined, "picture");
    const canvas = make("canvas");
    const side = canvas.width = canvas.height = Math.sqrt(atob(p.pixels).length);
    const c = canvas.getContext("2d"), data = c.createImageData(side, side);
    for (const [i, ch] of [...atob(p.pixels)].entries()) {
      data.data.fill(255 - ch.charCodeAt(0), 4 * i, 4 * i + 3);
      data.data[4 * i + 3] = 255;
    }
    c.putImageData(data, 0, 0);
    const table = make("table");
    for (const [digit, belief] of p.beliefs.entries()) {
      const bar = make("span", undefined, "bar");
      bar.style.width = (5 * belief).toFixed(2) + "rem";
      const cell = make("td");
      cell.append(bar, " " + belief.toFixed(2));
      table.append(row(make(digit === p.digit ? "th" : "td", String(digit)), cell));
    }
    out.append(canvas, table);
    return out;
  };

  const showSupport = (s) => {
    const out = make("section", undefined, "support");
    out.append(make("h3", s.atom + " = " + s.value.toFixed(3)));
    const table = make("table");
    const head = row(make("th", "force"), make("th", "weight"), make("th", "rule"));
    table.append(head);
    for (const f of s.forces) {
      const rule = make("td");
      rule.append(make("code", f.rule), make("br"), make("small", atoms(f.atoms), "soft"));
      table.append(row(make("td", (f.force > 0 ? "+" : "") + number(f.force), "n " + (f.force > 0 ? "for" : "against")),
        make("td", f.weight === null ? "hard" : number(f.weight), "n"), rule));
    }
    const wide = make("div", undefined, "wide");
    wide.append(table);
    out.append(wide, make("p", "Pushed up by " + number(s.up) + ", down by " + number(-s.down)
      + (Math.abs(s.bound) > 1e-9 ? ", held by its bound with " + number(s.bound) : "") + (s.weaker ? "; " + s.weaker + " weaker forces are not shown" : "") + ".", "soft"));
    return out;
  };

  const show = (a) => {
    const digits = a.pictures.map((p) => p.digit), half = digits.length / 2;
    const numbers = Number.isInteger(half) ? [digits.slice(0, half).join(""), digits.slice(half).join("")] : [digits.join("")];
    const read = numbers.join(" + ");
    find("differs").hidden = a.answer < 0 || numbers.reduce((sum, n) => sum + Number(n), 0) === a.answer;
    find("sentence").textContent = a.answer < 0 ? "There is no answer." : read + " = " + a.answer + (a.tied ? ", one of several sums that are equally good" : "");
    find("sentence").dataset.answer = a.answer;
    const c = a.certificate;
    find("unmet").hidden = !c || c.unmet.length === 0;
    find("unmet").textContent = c ? "Hard rules that cannot be met:\n" + c.unmet.join("\n") : "";
    find("pictures").replaceChildren(...a.pictures.map(showPicture));
    find("reasons").hidden = !c;
    find("supports").replaceChildren(...(a.supports || []).map(showSupport));
    const broken = make("ul");
    for (const b of a.broken_rules || []) {
      const item = make("li", "by " + number(b.distance) + ", weight " + number(b.weight) + ": ");
      item.append(make("code", b.rule), " ", make("small", atoms(b.atoms), "soft"));
      broken.append(item);
    }
    find("broken").replaceChildren(make("p", a.broken === undefined ? "–" : a.broken ? a.broken + " ground rules by more than 0.01; the worst:" : "No ground rule by more than 0.01."), broken);
    if (c) {
      const rows = [["solver", c.status], ["energy w·Φ", number(a.energy)], ["gap |primal − dual|", number(c.gap)],
        ["largest residual of optimality", number(c.residual)], ["largest violation of a hard rule", number(c.violation)],
        ["hard rules", c.unmet.length ? c.unmet.length + " cannot be met" : "all satisfied, by the MAP state and by the answer"]];
      find("certificate").tBodies[0].replaceChildren(...rows.map(([what, value]) => row(make("th", what), make("td", value))));
    }
    find("answer").hidden = false;
  };
})();
