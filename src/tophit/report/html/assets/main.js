// The page: unpack, draw the pictures, and let people look through the questions.
const PHONE = matchMedia("(max-width: 48rem)");

function field(label, control, kind) {
  control.id ||= `field-${label.replace(/\W+/g, "-").toLowerCase()}-${document.querySelectorAll("#fields > div").length}`;
  return make("div", { class: kind }, make("label", { for: control.id }, visible(label)), control);
}

class Explorer {
  constructor(all) {
    this.all = all;
    this.root = document.getElementById("explorer");
    const compared = "compared" in this.root.dataset && all.runs.length > 1;
    this.view = { run: compared ? 1 : 0, other: compared ? 0 : null, search: "", outcomes: new Set(), tags: all.data.tags.map(() => null), change: "", measure: all.data.runs[0].measures[0], order: "file", falling: false };
    this.detail = document.getElementById("detail");
    this.list = new VirtualList(document.getElementById("list"), { height: 80, render: (question) => this.row(question), opened: (question, open) => this.open(question, open) });
    this.current = null;
    this.legends();
    this.fields();
    this.update();
    this.fromLink();
    addEventListener("hashchange", () => this.fromLink());
    addEventListener("keydown", (event) => this.key(event));
  }

  row(question) {
    const { all, view } = this;
    const answer = all.answer(question, view.run);
    const before = view.other === null ? null : all.answer(question, view.other);
    const what = before && before.outcome !== answer.outcome ? `${before.outcome} → ${answer.outcome}` : answer.outcome;
    const at = before && before.first !== answer.first ? `${before.first ?? "–"} → ${answer.first ?? "–"}` : rankText(answer.first);
    return [
      make("span", { class: "top" }, make("span", { class: `key o-${answer.outcome}` }), make("span", { class: "what" }, what), make("span", { class: "id", dir: "auto" }, visible(question.id)), make("span", { class: "at" }, at)),
      make("span", { class: "asked", dir: "auto" }, visible((question.text ?? question.id).slice(0, 300))),
    ];
  }

  // ---------------------------------------------------------------- filters

  fields() {
    const { all, view } = this;
    const fields = document.getElementById("fields");
    const select = (label, options, value, set) => {
      const box = make("select", { onchange: () => { set(box.value); this.update(); } }, options.map(([key, text]) => make("option", { value: key, selected: String(key) === String(value) }, visible(text))));
      return field(label, box);
    };
    this.search = make("input", { type: "search", id: "search", placeholder: "words, or an id", oninput: () => { view.search = this.search.value; this.update(); } });
    fields.append(field("Search", this.search, "wide"));
    const runs = all.runs.map((name, at) => [at, name]);
    if (runs.length > 1) {
      const run = select("Run", runs, view.run, (value) => { view.run = Number(value); });
      const beside = select("Beside", [["", "none"], ...runs], view.other ?? "", (value) => { view.other = value === "" ? null : Number(value); });
      const measures = all.data.runs[0].measures.map((name) => [name, name]);
      const change = select("Won or lost", [["", "all"], ["won", "won"], ["lost", "lost"], ["same", "the same"]], "", (value) => { view.change = value; if (value && view.other === null) { view.other = view.run === 0 ? 1 : 0; beside.lastChild.value = view.other; } });
      fields.append(run, beside, change, select("on", measures, view.measure, (value) => { view.measure = value; }));
      this.runBox = run.lastChild;
    }
    all.data.tags.forEach((tag, number) => {
      if (tag.values.length < 2 || tag.values.length > 200) return;
      const options = [["", "all"], ...tag.values.map((value, at) => [at, value]).sort((a, b) => (a[1] < b[1] ? -1 : 1))];
      const box = select(tag.name, options, "", (value) => { view.tags[number] = value === "" ? null : Number(value); });
      box.dataset.tag = tag.name;
      fields.append(box);
    });
    fields.append(select("Sort by", Object.entries(ORDERS).map(([key, order]) => [key, order.label]), view.order, (value) => { view.order = value; }));
    this.falling = make("button", { type: "button", "aria-pressed": "false", onclick: () => { view.falling = !view.falling; this.falling.setAttribute("aria-pressed", String(view.falling)); this.update(); } }, "reverse");
    this.clear = make("button", { type: "button", onclick: () => this.reset() }, "Clear");
    document.getElementById("status").append(this.falling, this.clear);
  }

  // The entries of the bars' legends list their questions.
  legends() {
    for (const entry of document.querySelectorAll(".legend span[data-outcome]")) {
      const { outcome, run } = entry.dataset;
      entry.replaceWith(make("button", { type: "button", title: entry.title, "data-outcome": outcome, onclick: () => this.only(outcome, run) }, ...entry.childNodes));
    }
  }

  chips() {
    const { view } = this;
    const chips = this.all.counts(view.run).map(([name, count]) => make("button", { type: "button", "aria-pressed": String(view.outcomes.has(name)), "data-chip": name, onclick: () => {
      if (!view.outcomes.delete(name)) view.outcomes.add(name);
      this.update();
      document.querySelector(`[data-chip="${name}"]`).focus();
    } }, make("span", { class: `key o-${name}` }), `${name} ${count.toLocaleString("en")}`));
    document.getElementById("chips").replaceChildren(...chips);
  }

  only(outcome, run) {
    const { view } = this;
    const at = this.all.runs.indexOf(run);
    if (at >= 0) { view.run = at; if (this.runBox) this.runBox.value = at; }
    view.outcomes = new Set([outcome]);
    this.update();
    document.getElementById("questions").scrollIntoView();
    this.list.root.focus({ preventScroll: true });
  }

  reset() {
    Object.assign(this.view, { search: "", change: "", falling: false, order: "file", outcomes: new Set(), tags: this.view.tags.map(() => null) });
    document.getElementById("fields").replaceChildren();
    document.getElementById("status").replaceChildren(document.getElementById("count"));
    this.fields();
    this.update();
  }

  update() {
    const rows = chosen(this.all, this.view);
    const [n, total] = [rows.length, this.all.list.length].map((count) => count.toLocaleString("en"));
    document.getElementById("count").textContent = rows.length === this.all.list.length ? `${total} questions` : `${n} of ${total} questions`;
    this.chips();
    this.list.show(rows, this.current);
    if (this.current) this.show(this.current);
    else if (rows.length && !PHONE.matches) this.show(rows[0]);
  }

  // What an open question needs, when it has been unpacked.
  fill(places) {
    this.all.places = places;
    if (this.shown) this.show(this.shown);
  }

  // ---------------------------------------------------------------- one question

  open(question, enter) {
    this.current = question;
    this.show(question);
    history.replaceState(null, "", `#q=${encodeURIComponent(question.id)}`);
    if (!enter) return;
    this.root.classList.add("open");
    document.getElementById("question").focus({ preventScroll: true });
  }

  show(question) {
    this.shown = question;
    const { view } = this;
    const runs = view.other === null || view.other === view.run ? [view.run] : [view.other, view.run];
    const step = (by) => () => { this.list.select(this.list.at + by); document.getElementById("question").focus({ preventScroll: true }); };
    this.detail.replaceChildren(...questionView(this.all, question, runs, { back: () => this.back(), previous: step(-1), next: step(1) }));
    this.detail.scrollTop = 0;
  }

  back() {
    this.root.classList.remove("open");
    this.list.root.focus();
  }

  fromLink() {
    const wanted = new URLSearchParams(location.hash.slice(1)).get("q");
    const question = wanted === null ? undefined : this.all.byId.get(wanted);
    if (!question || question === this.current) return;
    let at = this.list.rows.indexOf(question);
    if (at < 0) { this.reset(); at = this.list.rows.indexOf(question); }
    this.list.select(at, true);
    document.getElementById("explorer").scrollIntoView({ behavior: "instant", block: "start" });
  }

  key(event) {
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "/" && !typing) { this.search.focus(); event.preventDefault(); }
    if (event.key === "Escape" && this.detail.contains(event.target)) this.back();
  }
}

async function start() {
  copyTables();
  drawCharts((await unpack("charts")) || []);
  const rows = await unpack("rows");
  if (rows) {
    const explorer = new Explorer(new Questions(rows));
    explorer.fill(await unpack("places"));
  }
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => {
  document.getElementById("trouble").hidden = false;
  document.getElementById("trouble").textContent = `This browser cannot show the pictures and the questions of this page (${error.message}). A browser of 2023 or newer can.`;
});
