// Whose documents are, where people sign in: the filter, and the choice of whom to assign them to.

import { element } from "../shared/dom.js";

export class DocumentPeople {
  constructor(root) {
    this.whose = root.querySelector(".whose select");
    this.assign = root.querySelector(".assign");
    this.people = [];
  }

  // people: of the page's data; null where nobody signs in.
  update(people) {
    this.whose.closest(".whose").hidden = !people;
    this.people = (people && people.offered) || [];
    this.mayTake = Boolean(people && people.may_take);
    const named = this.people.map(({ id, name }) => [String(id), name]);
    const options = [...named, ["all", `all ${named.length} in turn`], ["none", "nobody"]];
    const signature = JSON.stringify(options);
    if (this.signature === signature) return;
    this.signature = signature;
    this.assign.querySelector("select").replaceChildren(...options.map(([value, words]) => element("option", "", { value }, words)));
  }

  offer(isOffered) { this.assign.hidden = !isOffered || !this.people.length; }

  // What the choice beside the button says.
  assigned() {
    const { value } = this.assign.querySelector("select");
    const all = this.people.map(({ id }) => id);
    return { people: value === "all" ? all : value === "none" ? [] : [Number(value)], due: this.assign.querySelector("input").value };
  }
}
