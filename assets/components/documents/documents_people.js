// Whose documents are, where people sign in: the filter, and the choice of whom to assign them to.

import { element } from "../shared/dom.js";

export class DocumentPeople {
  constructor(root) {
    this.whose = root.querySelector(".whose select");
    this.assign = root.querySelector(".assign");
    this.back = root.querySelector(".send-back");
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
  }

  // What can be done with the documents of the list, by the person's rights. n: how many are selected.
  offered(n) {
    const isLead = this.people.length > 0;
    this.assign.hidden = !n || !isLead;
    return { take: this.mayTake, give_back: this.mayTake, assign: true, approve: this.mayReview, send_back: this.mayReview, urgent: isLead, normal: isLead };
  }

  offerBack(isOffered) { this.back.hidden = !isOffered; }

  // What stands beside the button of an action.
  more(action) {
    if (action === "send_back") return { note: this.back.querySelector("input").value.trim() };
    return action === "assign" ? this.assigned() : {};
  }

  assigned() {
    const { value } = this.assign.querySelector("select");
    const all = this.people.map(({ id }) => id);
    return { people: value === "all" ? all : value === "none" ? [] : [Number(value)], due: this.assign.querySelector("input").value };
  }
}
