// One question: what it should find, and what each run brought, with the held pieces marked.
const EXCERPT = 700;
const AROUND = 160;

function rankText(first) { return first === null || first === undefined ? "–" : `rank ${first}`; }

// A text cut into pieces at the edges of spans; each knows the spans that cover it.
function segments(text, spans) {
  const edges = [...new Set([0, text.length, ...spans.flatMap(({ start, end }) => [start, end])])].sort((a, b) => a - b);
  const found = [];
  for (let at = 0; at + 1 < edges.length; at += 1) {
    const [start, end] = [edges[at], edges[at + 1]];
    found.push({ start, end, text: text.slice(start, end), spans: spans.filter((span) => span.start <= start && end <= span.end) });
  }
  return found;
}

function cutSign(label) { return make("span", { class: "cut" }, `✂ ${label}`); }

// The text of a chunk: what it holds of the elements is marked; a long one shows the places around.
function chunkText(text, spans, whole) {
  const parts = [];
  const long = !whole && text.length > EXCERPT;
  const pieces = segments(text, spans);
  pieces.forEach((piece, at) => {
    if (piece.spans.length) {
      const names = [...new Set(piece.spans.map((span) => span.item + 1))];
      const cutBefore = piece.spans.some((span) => span.share < 1 && span.start === piece.start && !span.fromStart && !text.slice(0, span.start).trim());
      const cutAfter = piece.spans.some((span) => span.share < 1 && span.end === piece.end && !span.toEnd && !text.slice(span.end).trim());
      parts.push(cutBefore && cutSign("cut here"), make("mark", { title: `element ${names.join(", ")}`, "data-items": names.join(" ") }, visible(piece.text)), cutAfter && cutSign("cut here"));
      return;
    }
    let shown = long ? piece.text.replace(/\n\s*\n/g, "\n") : piece.text;
    if (long && !spans.length) shown = `${shown.slice(0, EXCERPT)} …`;
    else if (long && shown.length > 2 * AROUND) {
      const head = at === 0 ? "" : shown.slice(0, AROUND);
      const tail = at === pieces.length - 1 ? "" : shown.slice(-AROUND);
      shown = `${head} … ${tail}`;
    }
    parts.push(visible(shown));
  });
  return parts;
}

function passage(text, spans) {
  const body = make("div", { class: "passage", dir: "auto" }, chunkText(text, spans, false));
  if (text.length <= EXCERPT) return [body];
  const more = make("button", { type: "button", class: "more", "aria-expanded": "false", onclick: () => {
    const open = more.getAttribute("aria-expanded") === "true";
    more.setAttribute("aria-expanded", String(!open));
    more.textContent = open ? `Show all ${text.length.toLocaleString("en")} characters` : "Show less";
    body.replaceChildren(...chunkText(text, spans, !open).filter(Boolean));
  } }, `Show all ${text.length.toLocaleString("en")} characters`);
  return [body, more];
}

// An element: the part that the best place holds is marked, what is missing is struck.
function elementText(text, best) {
  if (!best || best.start === null || best.end <= best.start) return make("div", { class: "passage", dir: "auto" }, visible(text));
  const [before, piece, after] = [text.slice(0, best.start), text.slice(best.start, best.end), text.slice(best.end)];
  const missing = (part) => (part.trim() ? make("span", { class: "missing", title: "missing in this chunk" }, visible(part)) : part);
  const cut = best.share < 1;
  return make("div", { class: "passage", dir: "auto" }, missing(before), cut && before.trim() ? cutSign("") : null, make("mark", {}, visible(piece)), cut && after.trim() ? cutSign("") : null, missing(after));
}

function bestPlace(answer, item, k) {
  const held = answer.held.filter((each) => each[0] === item).map(([, choice, rank, share, start, end]) => ({ choice, rank, share, start, end }));
  const order = (each) => [each.share >= 1 ? 0 : 1, each.share >= 1 ? each.rank : -each.share, each.rank];
  return held.sort((a, b) => { const [x, y] = [order(a), order(b)]; return x[0] - y[0] || x[1] - y[1] || x[2] - y[2]; })[0];
}

function expectedList(all, question, answer) {
  return question.items.map(([id, grade, choices], number) => {
    const best = bestPlace(answer, number, all.k);
    const told = answer.items[number];
    const choice = choices[best ? best.choice : 0];
    const text = all.text(choice[0]);
    const place = [all.doc(choice[1]), choice[2] === null ? null : `${choice[2]}–${choice[3]}`].filter(Boolean).join(", ");
    const facts = [
      question.items.length > 1 ? `Element ${number + 1}` : "Expected",
      text === null ? id : null, place, grade === 1 ? null : `grade ${grade}`,
      choices.length > 1 ? `one of ${choices.length} alternatives` : null,
    ].filter(Boolean).join(" · ");
    const says = told && question.items.length > 1 ? `${all.data.outcomes[told[0]]}: ${told[1]}` : null;
    const held = best && best.share < 1 ? `${percent(best.share)} of it stands at rank ${best.rank}; the rest is missing there.` : null;
    return make("li", {}, make("p", { class: "about", dir: "auto" }, visible(facts)), text === null ? null : elementText(text, best), says ? make("p", { class: "about" }, says) : held ? make("p", { class: "about" }, held) : null);
  });
}

function holdText(held, several) {
  return held.map(({ item, share }) => {
    const what = several ? `element ${item + 1}` : "it";
    return share >= 1 ? `holds ${what} whole` : `holds ${percent(share)} of ${what}`;
  }).join(", ");
}

function placeRow(all, question, place, held) {
  const facts = [
    place.doc, place.tokens === null ? null : `${place.tokens.toLocaleString("en")} tokens`,
    place.score === null ? null : `score ${Number(place.score.toPrecision(4))}`,
  ].filter(Boolean);
  const spans = held.filter((each) => each.start !== null && each.end > each.start);
  const body = place.text !== null ? passage(place.text, spans) : place.missing ? [make("p", { class: "about" }, "The text of this chunk is left out of this file.")] : [];
  return make("li", { class: held.length ? "holds" : null, "data-rank": place.rank },
    make("span", { class: "rank", "aria-label": `rank ${place.rank}` }, String(place.rank)),
    make("div", {},
      make("p", { class: "head" }, make("span", { class: "ids", dir: "auto" }, visible(place.id ?? "")), held.length ? make("span", { class: "hold" }, holdText(held, question.items.length > 1)) : null, ...facts.map((fact) => make("bdi", {}, visible(fact)))),
      body));
}

function placeList(all, question, answer) {
  if (!all.places) return make("p", { class: "about" }, "Unpacking …");
  const rows = [];
  let last = 0;
  let line = false;
  const kline = () => make("li", { class: "kline" }, `k = ${all.k}: the model gets what stands above this line`);
  for (const packed of answer.places) {
    const place = all.place(packed);
    if (!line && place.rank > all.k) { rows.push(kline()); line = true; }
    if (place.rank > last + 1 && last) rows.push(make("li", { class: "skipped" }, `… ${(place.rank - last - 1).toLocaleString("en")} places not listed`));
    const held = answer.held.filter((each) => each[2] === place.rank).map(([item, choice, , share, from, to, start, end]) => {
      const length = (all.text(question.items[item][2][choice][0]) || "").length;
      return { item, share, start, end, fromStart: from === 0, toEnd: to === length };
    });
    rows.push(placeRow(all, question, place, held));
    last = place.rank;
  }
  if (answer.retrieved > last) rows.push(make("li", { class: "skipped" }, `… ${(answer.retrieved - last).toLocaleString("en")} more places`));
  if (!rows.length) rows.push(make("li", { class: "skipped" }, "Nothing was retrieved."));
  else if (!line) rows.push(kline());
  return make("ol", { class: "places" }, rows);
}

function side(all, question, run, several) {
  const answer = all.answer(question, run);
  const verdict = make("p", { class: "verdict" }, make("span", { class: `key o-${answer.outcome}` }), make("b", {}, answer.outcome), answer.why ? `: ${answer.why}` : null);
  const values = answer.values ? make("p", { class: "values" }, all.data.runs[run].measures.map((name, at) => make("span", {}, `${name} `, make("b", {}, Number(answer.values[at].toFixed(4)).toString())))) : null;
  const expected = question.items.length ? make("ul", { class: "expected" }, expectedList(all, question, answer)) : make("p", { class: "about" }, "Nothing is expected: this question has no answer on purpose.");
  return make("div", { class: "side", "data-run": all.runs[run] }, several ? make("h4", { dir: "auto" }, visible(all.runs[run])) : null, verdict, values, expected, make("h4", {}, "Retrieved"), placeList(all, question, answer));
}

function questionView(all, question, runs, actions) {
  const tags = question.tags.map((value, tag) => (value < 0 ? null : make("span", { dir: "auto" }, visible(`${all.data.tags[tag].name}: ${all.data.tags[tag].values[value]}`))));
  const link = make("button", { type: "button", onclick: async () => {
    await copyText(location.href);
    link.textContent = "Link copied";
    setTimeout(() => { link.textContent = "Copy a link"; }, 1500);
  } }, "Copy a link");
  return [
    make("div", { class: "tools" }, make("button", { type: "button", class: "back", onclick: actions.back }, "Back to the list"), make("button", { type: "button", onclick: actions.previous }, "Previous"), make("button", { type: "button", onclick: actions.next }, "Next"), link),
    make("p", { class: "ids", dir: "auto" }, visible(question.id)),
    make("h3", { class: "question", id: "question", tabindex: "-1", dir: "auto" }, visible(question.text ?? question.id)),
    make("p", { class: "tags" }, tags),
    make("div", { class: runs.length > 1 ? "sides two" : "sides" }, runs.map((run) => side(all, question, run, runs.length > 1))),
  ];
}
