// The tree of concepts: a WAI-ARIA tree whose rows are decided by click or key.

const STATE_WORDS = {
  accepted: "accepted", rejected: "rejected", implied: "implied by an accepted concept",
};

class TreeView {
  // desk: decide(node, action), decisionOf(id), isImplied(id), isPending(id), say(sentence),
  // focusSearch(), undo(): the workbench that the tree stands on.
  constructor(root, desk) {
    this.root = root;
    this.desk = desk;
    this.rows = [];
    this.items = new Map();
    this.collapsed = new Set();
    this.current = null;
    root.addEventListener("keydown", (event) => this.onKey(event));
    root.addEventListener("click", (event) => this.onClick(event));
  }

  // Rebuilds the rows where the outline changed, and repaints their states.
  show(rows) {
    const signature = JSON.stringify(rows.map((row) => [
      row.key, row.suggestion, row.node.probability, row.node.branch, row.node.label]));
    if (signature !== this.signature) {
      this.signature = signature;
      this.build(rows);
    }
    for (const row of this.rows) this.paint(row);
  }

  build(rows) {
    const hadFocus = this.root.contains(focusedElement());
    const scroll = this.root.scrollTop;
    this.rows = rows;
    this.items = new Map();
    const fragment = document.createDocumentFragment();
    for (const row of rows) {
      const item = this.item(row);
      this.items.set(row.key, item);
      const parent = row.parent && this.items.get(row.parent.key);
      (parent ? parent.querySelector("[role=group]") : fragment).append(item);
    }
    this.root.replaceChildren(fragment);
    for (const row of rows) this.setOpen(row, !this.collapsed.has(row.key));
    this.root.scrollTop = scroll;
    const row = this.rowOf(this.current) || rows.find((one) => one.suggestion) || rows[0];
    if (row) hadFocus ? this.focus(row) : this.setCurrent(row);
  }

  item(row) {
    const { node } = row;
    const item = element("li", row.suggestion ? "suggested" : "ancestor", {
      role: "treeitem", tabindex: "-1", "aria-level": row.level, "aria-setsize": row.siblings,
      "aria-posinset": row.position, "data-key": row.key, "data-concept": node.id,
    });
    const line = element("div", "row");
    line.style.setProperty("--level", row.level - 1);
    const twisty = element("span", "twisty", { "aria-hidden": "true" });
    if (row.children) twisty.append(icon("open"));
    const mark = element("span", "mark", { "aria-hidden": "true" });
    const label = element("span", "label", {}, node.label);
    line.append(twisty, mark, label);
    line.append(element("span", "tag", { "aria-hidden": "true" }));
    line.append(...this.measure(row), this.buttons(row));
    line.title = [node.notation && `${node.notation} ${node.label}`,
      ...this.desk.pathNames(node.id)].filter(Boolean).join("\n");
    item.append(line);
    if (row.children) item.append(element("ul", "", { role: "group" }));
    return item;
  }

  // A bar and a number: the probability of a suggestion, the branch probability of an ancestor.
  measure({ node, suggestion }) {
    const probability = suggestion ? node.probability : node.branch;
    const bar = element("span", "bar", { "aria-hidden": "true" });
    const fill = element("i");
    fill.style.width = `${100 * (probability ?? 0)}%`;
    bar.append(fill);
    if (probability === null || probability === undefined) bar.classList.add("none");
    return [bar, element("span", "percent", { "aria-hidden": "true" }, percent(probability))];
  }

  buttons({ node }) {
    const buttons = element("span", "buttons");
    if (node.assignable === false) return buttons;
    for (const [action, word] of [["accept", "Accept"], ["reject", "Reject"]]) {
      const button = element("button", action, {
        type: "button", tabindex: "-1", "data-action": action,
        "aria-label": `${word} ${node.label}`, title: word,
      });
      button.append(icon(action));
      buttons.append(button);
    }
    return buttons;
  }

  paint(row) {
    const { node } = row;
    const item = this.items.get(row.key);
    const decision = this.desk.decisionOf(node.id);
    const state = decision ? decision.state : this.desk.isImplied(node.id) ? "implied" : "open";
    const pending = this.desk.isPending(node.id);
    const painted = `${state} ${decision && decision.added} ${pending}`;
    if (item.dataset.painted === painted) return;
    item.dataset.painted = painted;
    item.dataset.state = state;
    item.classList.toggle("pending", pending);
    const mark = item.querySelector(".mark");
    mark.replaceChildren();
    const icons = { accepted: "accept", rejected: "reject", implied: "implied" };
    if (icons[state]) mark.append(icon(icons[state]));
    item.querySelector(".tag").textContent = decision && decision.added ? "added by you" : "";
    for (const button of item.querySelectorAll(":scope > .row button")) {
      const pressed = `${button.dataset.action}ed` === state;
      button.setAttribute("aria-pressed", String(pressed));
      button.title = pressed ? "Take back" : button.dataset.action === "accept" ? "Accept (A)" : "Reject (R)";
    }
    item.setAttribute("aria-label", this.accessibleName(row, state, decision));
  }

  accessibleName({ node, suggestion }, state, decision) {
    const probability = suggestion ? node.probability : node.branch;
    const known = probability !== null && probability !== undefined;
    return [
      node.label,
      known ? `${Math.round(probability * 100)} percent${suggestion ? "" : " for the branch"}` : "",
      decision && decision.added ? "added by you" : "",
      STATE_WORDS[state] || (suggestion ? "open" : "broader concept"),
    ].filter(Boolean).join(", ");
  }

  rowOf(key) {
    return this.rows.find((row) => row.key === key);
  }

  setOpen(row, open) {
    if (!row.children) return;
    const item = this.items.get(row.key);
    item.setAttribute("aria-expanded", String(open));
    item.querySelector("[role=group]").hidden = !open;
    if (open) this.collapsed.delete(row.key);
    else this.collapsed.add(row.key);
  }

  isOpen(row) {
    return row.children > 0 && !this.collapsed.has(row.key);
  }

  setAllOpen(open) {
    for (const row of this.rows) this.setOpen(row, open);
    let row = this.rowOf(this.current);
    while (!open && row && row.parent) row = row.parent;
    if (row) this.setCurrent(row);
  }

  visibleRows() {
    const hidden = (row) => row.parent && (!this.isOpen(row.parent) || hidden(row.parent));
    return this.rows.filter((row) => !hidden(row));
  }

  setCurrent(row) {
    const before = this.items.get(this.current);
    if (before) {
      before.tabIndex = -1;
      before.removeAttribute("aria-selected");
    }
    this.current = row.key;
    const item = this.items.get(row.key);
    item.tabIndex = 0;
    item.setAttribute("aria-selected", "true");
  }

  focus(row) {
    this.setCurrent(row);
    const item = this.items.get(row.key);
    item.focus({ preventScroll: true });
    item.firstChild.scrollIntoView({ block: "nearest" });
  }

  // Opens what is above the first row of the concept, scrolls to it and, if asked, focuses it.
  reveal(conceptId, focus = false) {
    const row = this.rows.find((one) => one.node.id === conceptId);
    if (!row) return;
    for (let above = row.parent; above; above = above.parent) this.setOpen(above, true);
    if (focus) { this.focus(row); return; }
    this.setCurrent(row);
    const item = this.items.get(row.key);
    item.firstChild.scrollIntoView({ block: "center" });
    item.firstChild.classList.add("flash");
    setTimeout(() => item.firstChild.classList.remove("flash"), 1600);
  }

  nextOpenRow(from) {
    const after = this.rows.indexOf(from) + 1;
    const inOrder = [...this.rows.slice(after), ...this.rows.slice(0, after)];
    return inOrder.find((row) => row.suggestion && !this.desk.decisionOf(row.node.id));
  }

  goToNextOpen(from) {
    const row = this.nextOpenRow(from);
    if (!row) { this.desk.say("Nothing left open."); return; }
    for (let above = row.parent; above; above = above.parent) this.setOpen(above, true);
    this.focus(row);
  }

  onClick(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item) return;
    const row = this.rowOf(item.dataset.key);
    const button = event.target.closest("[data-action]");
    if (button) {
      const pressed = button.getAttribute("aria-pressed") === "true";
      this.desk.decide(row.node, pressed ? "clear" : button.dataset.action);
    } else if (event.target.closest(".mark") && row.suggestion) {
      const accepted = (this.desk.decisionOf(row.node.id) || {}).state === "accepted";
      this.desk.decide(row.node, accepted ? "clear" : "accept");
    } else if (event.target.closest(".twisty")) {
      this.setOpen(row, !this.isOpen(row));
    }
    this.focus(row);
  }

  decideAndGoOn(row, action) {
    if (row.node.assignable === false) {
      this.desk.say(`${row.node.label} is a heading and is not assigned itself.`);
      return;
    }
    this.desk.decide(row.node, action);
    this.goToNextOpen(row);
  }

  onKey(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const row = this.rowOf(this.current);
    if (!row) return;
    const command = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    event.stopPropagation();   // Streamlit listens to letters of its own
    if (!command) return;
    event.preventDefault();
    command(this, row);
  }
}

function step(tree, row, by) {
  const rows = tree.visibleRows();
  const target = rows[rows.indexOf(row) + by];
  if (target) tree.focus(target);
}

const KEYS = {
  ArrowDown: (tree, row) => step(tree, row, 1),
  ArrowUp: (tree, row) => step(tree, row, -1),
  ArrowRight: (tree, row) => {
    if (tree.isOpen(row)) step(tree, row, 1);
    else tree.setOpen(row, true);
  },
  ArrowLeft: (tree, row) => {
    if (tree.isOpen(row)) tree.setOpen(row, false);
    else if (row.parent) tree.focus(row.parent);
  },
  Home: (tree) => tree.focus(tree.visibleRows()[0]),
  End: (tree) => tree.focus(tree.visibleRows().at(-1)),
  Enter: (tree, row) => tree.setOpen(row, !tree.isOpen(row)),
  " ": (tree, row) => tree.setOpen(row, !tree.isOpen(row)),
  "*": (tree, row) => tree.rows.filter((one) => one.parent === row.parent).forEach((one) => tree.setOpen(one, true)),
  a: (tree, row) => tree.decideAndGoOn(row, "accept"),
  r: (tree, row) => tree.decideAndGoOn(row, "reject"),
  u: (tree, row) => tree.desk.decide(row.node, "clear"),
  z: (tree) => tree.desk.undo(),
  n: (tree, row) => tree.goToNextOpen(row),
  "/": (tree) => tree.desk.focusSearch(),
};
