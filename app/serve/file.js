"use strict";
(() => {
  const find = (id) => document.getElementById(id);
  const make = (tag, text, kind) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (kind) e.className = kind;
    return e;
  };
  const row = (...cells) => { const r = make("tr"); r.append(...cells); return r; };
  const number = (v) => v === undefined ? "–" : v === 0 ? "0" : Math.abs(v) >= 1e-3 ? v.toFixed(4) : v.toExponential(1);
  const complain = (text) => { find("error").textContent = text; find("error").hidden = !text; };
  const bar = (value) => {
    const cell = make("td"), bar = make("span", undefined, "bar");
    bar.style.width = (5 * Math.min(Math.max(value, 0), 1)).toFixed(2) + "rem";
    cell.append(bar, " " + value.toFixed(3));
    return cell;
  };

  find("ask").addEventListener("submit", async (e) => {
    e.preventDefault();
    complain("");
    find("answer").hidden = true;
    const form = new FormData();
    for (const set of document.querySelectorAll("[data-rows]")) {
      const rows = set.querySelector(".values").value.trim();
      if (rows) form.append(set.dataset.rows, rows);
    }
    for (const set of document.querySelectorAll("[data-network]")) {
      const entity = set.querySelector(".entity").value.trim();
      const name = set.dataset.network + (entity ? ":" + entity : "");
      const picture = set.querySelector(".picture");
      const values = set.querySelector(".values").value.trim();
      if (picture && picture.files.length) form.append(name, picture.files[0]);
      else if (values) form.append(name, values);
    }
    if ([...form.keys()].length === 0) return complain("There is no input.");
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

  const showInput = (p) => {
    const out = make("section");
    const entity = (p.entity || []).join(", ");
    out.append(make("h3", p.network + (entity ? ": " + entity : "")));
    if (entity && !p.known) out.append(make("p", "No rule is about it in the model's data.", "soft"));
    const table = make("table");
    for (const o of p.outputs) table.append(row(make("td", o.predicate), make("td", o.class || ""), bar(o.value)));
    out.append(table);
    return out;
  };

  const show = (a) => {
    find("inputs").replaceChildren(...a.inputs.map(showInput));
    const c = a.certificate;
    find("inferred").hidden = !c;
    if (c) {
      find("unmet").hidden = c.unmet.length === 0;
      find("unmet").textContent = "Hard rules that cannot be met:\n" + c.unmet.join("\n");
      const atoms = make("table");
      for (const x of a.atoms) {
        const at = (a.thresholds || {})[x.atom.split("(")[0]];
        atoms.append(row(make("td", x.atom), bar(x.value), make("td", at === undefined ? "" : Math.round(1e6 * x.value) >= Math.round(1e6 * at) ? "true" : "false")));
      }
      const rest = (a.others || []).length;
      find("atoms").replaceChildren(atoms, ...(rest ? [make("p", rest + " further atoms were inferred with them.", "soft")] : []));
      const broken = make("ul");
      for (const b of a.broken_rules || []) {
        const item = make("li", "by " + number(b.distance) + ", weight " + number(b.weight) + ": ");
        item.append(make("code", b.rule), " ", make("small", b.atoms.map((x) => x.atom + " = " + x.value.toFixed(2)).join(", "), "soft"));
        broken.append(item);
      }
      find("broken").replaceChildren(make("p", a.broken === undefined ? "–" : a.broken ? a.broken + " ground rules about these atoms by more than 0.01; the worst:" : "No ground rule about these atoms by more than 0.01."), broken);
      const rows = [["solver", c.status], ["gap |primal − dual|", number(c.gap)], ["largest residual of optimality", number(c.residual)],
        ["largest violation of a hard rule", number(c.violation)]];
      find("certificate").tBodies[0].replaceChildren(...rows.map(([what, value]) => row(make("th", what), make("td", value))));
    }
    find("answer").hidden = false;
  };
})();
