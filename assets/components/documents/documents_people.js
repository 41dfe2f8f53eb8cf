// Whose documents are, where people sign in: the filter, whom to assign them to, and who annotates them twice.

import { element, setChildren } from "../shared/dom.js";
import { ASKED_TWICE } from "./documents_selection.js";

export class DocumentPeople {
  constructor(root) {
    this.whose = root.querySelector(".whose select");
    this.assign = root.querySelector(".assign");
    this.back = root.querySelector(".send-back");
    this.twice = root.querySelector(".twice");
    [this.to, this.former] = ["to", "former"].map((name) => this.assign.querySelector(`.${name}`));
    [this.first, this.second] = ["first", "second"].map((name) => this.twice.querySelector(`.${name}`));
    this.first.addEventListener("change", () => this.paintSecond());
    this.people = [];
  }

  // people: of the page's data; null where nobody signs in.
  update(people) {
    this.whose.closest(".whose").hidden = !people;
    this.areNamed = Boolean(people);
    this.people = (people && people.offered) || [];
    this.mayTake = Boolean(people && people.may_take);
    this.mayReview = Boolean(people && people.may_review);
    const named = this.people.map(({ id, name }) => [String(id), name]);
    this.indexers = this.people.filter(({ indexer }) => indexer).map(({ id }) => id);
    const inTurn = [...(this.areSome(this.indexers) ? [["indexers", `the ${this.indexers.length} indexers in turn`]] : []), ["all", `all ${named.length} in turn`]];
    const options = [...named, ...inTurn, ["none", "nobody"]];
    const signature = JSON.stringify(options);
    if (this.signature === signature) return;
    this.signature = signature;
    setOptions(this.to, options);
    const choices = [...(named.length > 2 ? inTurn : []), ...named];
    for (const select of [this.first, this.second]) {
      setOptions(select, select === this.first ? choices : named);
    }
    if (named.length > 1) this.second.selectedIndex = 1;
    this.paintSecond();
  }

  // Whether these are several of all people, but not all of them.
  areSome(ids) { return ids.length > 1 && ids.length < this.people.length; }

  paintSecond() { this.second.closest(".and").hidden = !this.one(this.first); }

  // The one person who is chosen; null where documents go to several in turn, or to nobody.
  one({ value }) { return Number(value) || null; }

  several({ value }) { return value === "indexers" ? this.indexers : value === "all" ? this.people.map(({ id }) => id) : []; }

  // What can be done with the documents of the list, by the person's rights. entries: what is selected.
  offered(entries) {
    const isLead = this.people.length > 0, n = entries.length;
    const ofLeads = this.areNamed && !isLead ? { remove: false } : {};
    this.offerFormer(entries);
    this.assign.hidden = !n || !isLead;
    this.twice.hidden = !n || this.people.length < 2;
    return {
      take: this.mayTake, give_back: this.mayTake, assign: true, twice: true, once: isLead, approve: this.mayReview,
      send_back: this.mayReview, urgent: isLead, normal: isLead, ...ofLeads,
    };
  }

  // In whose place an annotation is handed over. Whether one is finished, the server alone knows.
  offerFormer(entries) {
    const open = new Map(entries.filter(({ annotation }) => ASKED_TWICE.includes(annotation)).flatMap(({ annotators }) => annotators || []).map(({ id, name }) => [String(id), name]));
    const { value } = this.former;
    setOptions(this.former, [["", "who has not begun"], ...open]);
    this.former.value = open.has(value) ? value : "";
    this.former.closest(".place").hidden = !open.size;
  }

  offerBack(isOffered) { this.back.hidden = !isOffered; }

  // What stands beside the button of an action.
  more(action) {
    if (action === "send_back") return { note: this.back.querySelector("input").value.trim() };
    if (action === "twice") return this.asked();
    return action === "assign" ? this.assigned() : {};
  }

  // Of whom two annotations are asked, and of which share of the documents.
  asked() {
    const people = this.one(this.first) ? [this.first, this.second].map((select) => this.one(select)) : this.several(this.first);
    const number = (name) => Number(this.twice.querySelector(`.${name}`).value);
    return { people, share: number("share"), seed: number("seed"), due: this.assign.querySelector("input").value };
  }

  assigned() {
    const person = this.one(this.to);
    return { people: person ? [person] : this.several(this.to), due: this.assign.querySelector("input").value, former: this.one(this.former) };
  }
}

function setOptions(select, options) {
  setChildren(select, options.map(([value, words]) => element("option", "", { value }, words)));
}
