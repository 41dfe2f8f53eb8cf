// Whose documents are, where people sign in: the filter, whom to assign them to, and who annotates them twice.

import { element } from "../shared/dom.js";

export class DocumentPeople {
  constructor(root) {
    this.whose = root.querySelector(".whose select");
    this.assign = root.querySelector(".assign");
    this.back = root.querySelector(".send-back");
    this.twice = root.querySelector(".twice");
    [this.first, this.second] = ["first", "second"].map((name) => this.twice.querySelector(`.${name}`));
    this.first.addEventListener("change", () => this.paintSecond());
    this.people = [];
  }

  // people: of the page's data; null where nobody signs in.
  update(people) {
    this.whose.closest(".whose").hidden = !people;
    this.people = (people && people.offered) || [];
    this.mayTake = Boolean(people && people.may_take);
    this.mayReview = Boolean(people && people.may_review);
    const named = this.people.map(({ id, name }) => [String(id), name]);
    const options = [...named, ["all", `all ${named.length} in turn`], ["none", "nobody"]];
    const signature = JSON.stringify(options);
    if (this.signature === signature) return;
    this.signature = signature;
    this.assign.querySelector("select").replaceChildren(...options.map(([value, words]) => element("option", "", { value }, words)));
    const choices = [...(named.length > 2 ? [["all", "all in turn"]] : []), ...named];
    for (const select of [this.first, this.second]) {
      select.replaceChildren(...(select === this.first ? choices : named).map(([value, words]) => element("option", "", { value }, words)));
    }
    if (named.length > 1) this.second.selectedIndex = 1;
    this.paintSecond();
  }

  paintSecond() { this.second.closest(".and").hidden = this.first.value === "all"; }

  // What can be done with the documents of the list, by the person's rights. n: how many are selected.
  offered(n) {
    const isLead = this.people.length > 0;
    this.assign.hidden = !n || !isLead;
    this.twice.hidden = !n || this.people.length < 2;
    return {
      take: this.mayTake, give_back: this.mayTake, assign: true, twice: true, once: isLead, approve: this.mayReview,
      send_back: this.mayReview, urgent: isLead, normal: isLead,
    };
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
    const people = this.first.value === "all" ? this.people.map(({ id }) => id) : [this.first, this.second].map(({ value }) => Number(value));
    const number = (name) => Number(this.twice.querySelector(`.${name}`).value);
    return { people, share: number("share"), seed: number("seed"), due: this.assign.querySelector("input").value };
  }

  assigned() {
    const { value } = this.assign.querySelector("select");
    const all = this.people.map(({ id }) => id);
    return { people: value === "all" ? all : value === "none" ? [] : [Number(value)], due: this.assign.querySelector("input").value };
  }
}
