// The search box: a WAI-ARIA combobox over the vocabulary, answered by a route of the server.

class SearchBox {
  // desk: add(hit), stateWord(conceptId), say(sentence), focusTree().
  constructor(root, desk) {
    this.input = root.querySelector("[role=combobox]");
    this.list = root.querySelector("[role=listbox]");
    this.desk = desk;
    this.hits = [];
    this.active = -1;
    this.asked = 0;
    this.input.addEventListener("input", () => this.ask());
    this.input.addEventListener("keydown", (event) => this.onKey(event));
    this.input.addEventListener("focus", () => { if (this.input.value.trim()) this.ask(); });
    this.input.addEventListener("blur", () => this.close());
    this.list.addEventListener("mousedown", (event) => this.onMouseDown(event));
  }

  configure(url, language) {
    this.url = url;
    this.language = language;
    this.input.disabled = !url;
    this.input.placeholder = url
      ? "Add a concept: type a few letters of it" : "No vocabulary to search: the model could not be loaded";
  }

  async ask() {
    const query = this.input.value.trim();
    const number = ++this.asked;
    if (!query || !this.url) { this.show([]); return; }
    const address = new URL(this.url, document.baseURI);
    address.searchParams.set("q", query);
    address.searchParams.set("lang", this.language);
    let answer;
    try {
      const response = await fetch(address);
      answer = response.ok ? await response.json() : { hits: [], problem: "The search did not work." };
    } catch (error) {
      answer = { hits: [], problem: "No answer from the server." };
    }
    if (number !== this.asked) return;
    this.show(answer.hits || [], answer.problem || (answer.hits && answer.hits.length ? null : `Nothing is called “${query}”.`));
  }

  show(hits, note = null) {
    this.hits = hits;
    const options = hits.map((hit, position) => this.option(hit, position));
    if (note) options.push(element("li", "note", { role: "presentation" }, note));
    this.list.replaceChildren(...options);
    const open = options.length > 0;
    this.list.hidden = !open;
    this.input.setAttribute("aria-expanded", String(open));
    this.activate(hits.length ? 0 : -1);
    this.list.dataset.query = this.input.value.trim();
    if (open) this.desk.say(note || count(hits.length, "concept found", "concepts found"));
  }

  option(hit, position) {
    const option = element("li", "", { role: "option", id: `hit-${position}`, "aria-selected": "false" });
    const head = element("div", "head");
    head.append(element("span", "hit", {}, hit.label));
    if (hit.matched && hit.matched !== hit.label) head.append(element("span", "matched", {}, `“${hit.matched}”`));
    const word = this.desk.stateWord(hit.concept_id);
    if (word) head.append(element("span", "word", {}, word));
    option.append(head, element("div", "path", {}, hit.path));
    return option;
  }

  activate(position) {
    this.active = position;
    [...this.list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === position)));
    if (position < 0) { this.input.removeAttribute("aria-activedescendant"); return; }
    this.input.setAttribute("aria-activedescendant", `hit-${position}`);
    this.list.children[position].scrollIntoView({ block: "nearest" });
  }

  close() {
    this.asked += 1;
    this.show([]);
  }

  pick(position) {
    const hit = this.hits[position];
    if (!hit) return;
    this.input.value = "";
    this.close();
    this.desk.add(hit);
  }

  onMouseDown(event) {
    event.preventDefault();   // keeps the focus in the box
    const option = event.target.closest("[role=option]");
    if (option) this.pick([...this.list.children].indexOf(option));
  }

  onKey(event) {
    event.stopPropagation();
    const last = this.hits.length - 1;
    const moves = {
      ArrowDown: () => this.activate(this.active >= last ? 0 : this.active + 1),
      ArrowUp: () => this.activate(this.active <= 0 ? last : this.active - 1),
      Enter: () => this.pick(this.active),
      Escape: () => {
        if (this.list.hidden && !this.input.value) this.desk.focusTree();
        this.input.value = "";
        this.close();
      },
    };
    const move = moves[event.key];
    if (!move || (event.key.startsWith("Arrow") && last < 0)) return;
    event.preventDefault();
    move();
  }
}
