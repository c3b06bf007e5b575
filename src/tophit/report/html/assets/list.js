// A list of thousands of rows: only those in sight are in the page. Keys move, Enter opens.
class VirtualList {
  constructor(root, { height, render, opened }) {
    this.root = root;
    this.height = height;
    this.render = render;
    this.opened = opened;
    this.rows = [];
    this.at = -1;
    this.shown = new Map();
    this.space = root.appendChild(make("div", { class: "space", role: "presentation" }));
    root.addEventListener("scroll", () => this.draw(), { passive: true });
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("click", (event) => {
      const row = event.target.closest("[role=option]");
      if (row) this.select(Number(row.dataset.at), true);
    });
    new ResizeObserver(() => this.draw()).observe(root);
  }

  // Other rows, in their order; the one that is open stays open where it is among them.
  show(rows, keep) {
    this.rows = rows;
    this.at = rows.indexOf(keep);
    this.space.style.height = `${rows.length * this.height}px`;
    for (const element of this.shown.values()) element.remove();
    this.shown.clear();
    this.root.scrollTop = this.at < 0 ? 0 : Math.max(0, (this.at - 1) * this.height);
    this.draw();
  }

  draw() {
    const first = Math.max(0, Math.floor(this.root.scrollTop / this.height) - 4);
    const last = Math.min(this.rows.length, Math.ceil((this.root.scrollTop + this.root.clientHeight) / this.height) + 4);
    for (const [at, element] of this.shown) {
      if ((at < first || at >= last) && at !== this.at) {
        element.remove();
        this.shown.delete(at);
      }
    }
    for (let at = first; at < last; at += 1) this.put(at);
    if (this.at >= 0) this.put(this.at);
  }

  put(at) {
    if (this.shown.has(at)) return;
    const element = make("div", {
      role: "option", class: "row", id: `row-${at}`, "data-at": at, "aria-selected": String(at === this.at),
      "aria-posinset": at + 1, "aria-setsize": this.rows.length,
    }, this.render(this.rows[at]));
    element.style.top = `${at * this.height}px`;
    element.style.height = `${this.height}px`;
    this.shown.set(at, element);
    this.space.append(element);
    if (at === this.at) this.root.setAttribute("aria-activedescendant", element.id);
  }

  select(at, open = false) {
    if (!this.rows.length) return;
    this.shown.get(this.at)?.setAttribute("aria-selected", "false");
    this.at = Math.min(Math.max(at, 0), this.rows.length - 1);
    this.into(this.at);
    this.draw();
    this.shown.get(this.at).setAttribute("aria-selected", "true");
    this.root.setAttribute("aria-activedescendant", `row-${this.at}`);
    this.opened(this.rows[this.at], open);
  }

  into(at) {
    const top = at * this.height;
    const { scrollTop, clientHeight } = this.root;
    if (top < scrollTop) this.root.scrollTop = top;
    else if (top + this.height > scrollTop + clientHeight) this.root.scrollTop = top + this.height - clientHeight;
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.root.clientHeight / this.height) - 1);
    const steps = { ArrowDown: this.at + 1, ArrowUp: this.at - 1, PageDown: this.at + page, PageUp: this.at - page, Home: 0, End: this.rows.length - 1 };
    if (event.key in steps && !event.altKey && !event.ctrlKey && !event.metaKey) this.select(steps[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.select(Math.max(0, this.at), true);
    else return;
    event.preventDefault();
  }
}
