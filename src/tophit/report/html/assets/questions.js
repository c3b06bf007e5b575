// What is known of the questions, under names: the packed data have places in lists instead.
class Questions {
  constructor(data) {
    this.data = data;
    this.k = data.k;
    this.runs = data.runs.map((run) => run.name);
    this.list = data.questions.map(([id, text, tags, items], at) => ({ at, id, text: this.text(text), tags, items }));
    this.byId = new Map(this.list.map((question) => [question.id, question]));
    this.places = null;
  }

  // What is searched: id, question and elements.
  words(question) {
    if (question.words === undefined) {
      const elements = question.items.flatMap((item) => item[2].map((choice) => this.text(choice[0]) || ""));
      question.words = [question.id, question.text || "", ...elements].join("\n").toLowerCase();
    }
    return question.words;
  }

  text(number) { return number < 0 ? null : this.data.texts[number]; }

  doc(number) { return number < 0 ? null : this.data.docs[number]; }

  answer(question, run) {
    const [outcome, why, first, retrieved, values, share] = this.data.answers[run][question.at];
    const [places, held, items] = this.places ? this.places.answers[run][question.at] : [[], [], []];
    return { outcome: this.data.outcomes[outcome], why, first, retrieved, values, share, places, held, items };
  }

  outcome(question, run) { return this.data.outcomes[this.data.answers[run][question.at][0]]; }

  place([rank, chunk, score]) {
    const [id, number, doc, start, end, tokens] = this.places.chunks[chunk];
    const text = number < 0 ? null : this.places.texts[number];
    return { rank, score, id, text, missing: number >= 0 && text === null, doc: this.doc(doc), start, end, tokens };
  }

  // Whether a run is better on a question than another one, by a measure: won, lost, same, or null.
  change(question, run, other, measure) {
    const [a, b] = [other, run].map((each) => {
      const at = this.data.runs[each].measures.indexOf(measure);
      const values = this.data.answers[each][question.at][4];
      return values && at >= 0 ? values[at] : null;
    });
    if (a === null || b === null) return null;
    return Math.abs(a - b) < 1e-12 ? "same" : b > a ? "won" : "lost";
  }

  counts(run) {
    const counts = new Map();
    for (const question of this.list) {
      const outcome = this.outcome(question, run);
      counts.set(outcome, (counts.get(outcome) || 0) + 1);
    }
    return this.data.outcomes.filter((name) => counts.has(name)).map((name) => [name, counts.get(name)]);
  }
}

const LAST = 1e9;

const ORDERS = {
  file: { label: "order of the file", key: (_, question) => question.at },
  rank: { label: "rank of the first hit", key: (all, question, run) => all.answer(question, run).first ?? LAST },
  outcome: { label: "outcome", key: (all, question, run) => all.data.answers[run][question.at][0] },
  held: { label: "share of the best piece", key: (all, question, run) => -all.data.answers[run][question.at][5] },
  elements: { label: "number of elements", key: (_, question) => -question.items.length },
  id: { label: "id", key: (_, question) => question.id },
};

// The questions that a view shows, in its order.
function chosen(all, view) {
  const words = view.search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.list.filter((question) => {
    if (view.outcomes.size && !view.outcomes.has(all.outcome(question, view.run))) return false;
    if (view.tags.some((value, tag) => value !== null && question.tags[tag] !== value)) return false;
    if (view.change && all.change(question, view.run, view.other, view.measure) !== view.change) return false;
    return words.every((word) => all.words(question).includes(word));
  });
  const { key } = ORDERS[view.order];
  const keys = new Map(found.map((question) => [question, key(all, question, view.run)]));
  const sign = view.falling ? -1 : 1;
  return found.sort((a, b) => {
    const [left, right] = [keys.get(a), keys.get(b)];
    return left === right ? a.at - b.at : sign * (left < right ? -1 : 1);
  });
}
