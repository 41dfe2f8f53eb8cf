// Light, dark, or as the system has it: what Streamlit's own menu would note in this browser, for
// each page, because Streamlit keeps it apart for each path. The page is then loaded again.

import { element, mountOnce } from "../shared/dom.js";
import { readJson, readPreference, writePreference } from "../shared/storage.js";
import { ACTIONS_KEY, ICONS, WORDS } from "../tree/view.js";

const INSTANCES = new WeakMap();
const CHOICES = [["System", "As the system has it"], ["Light", "Light"], ["Dark", "Dark"]];

function themeKey(path) {
  return `stActiveTheme-${path}-v2`;
}

class ThemeChoice {
  constructor(component) {
    this.root = component.parentElement.querySelector(".theme-settings");
    this.choices = this.root.querySelector(".choices");
    this.problem = this.root.querySelector(".problem");
    this.choices.replaceChildren(...CHOICES.map(([value, words]) => element("label", "", {},
      element("input", "", { type: "radio", name: "theme", value }), element("span", "", {}, words))));
    this.choices.addEventListener("change", (event) => this.choose(event.target.value));
    this.icons = this.root.querySelector(".icons input");
    this.icons.addEventListener("change", () => writePreference(ACTIONS_KEY, this.icons.checked ? ICONS : WORDS));
  }

  destroy() {}

  update(component) {
    this.pages = component.data.pages;
    const input = this.choices.querySelector(`[value="${this.chosen()}"]`);
    if (input) input.checked = true;
    this.icons.checked = readPreference(ACTIONS_KEY) === ICONS;
    this.root.dataset.ready = "true";
  }

  chosen() {
    const stored = readJson("localStorage", themeKey(location.pathname));
    return CHOICES.some(([value]) => value === stored) ? stored : "System";
  }

  paths() {
    const base = location.pathname.slice(0, location.pathname.lastIndexOf("/") + 1);
    return [...new Set([location.pathname, ...this.pages.flatMap((page) => (page ? [`${base}${page}`, `${base}${page}/`] : [base]))])];
  }

  choose(value) {
    try {
      for (const path of this.paths()) localStorage.setItem(themeKey(path), JSON.stringify(value));
    } catch (error) {
      this.problem.textContent = "This browser keeps nothing for pages, so the choice cannot be kept.";
      this.problem.hidden = false;
      return;
    }
    location.reload();
  }
}

export default function mount(component) {
  return mountOnce(INSTANCES, component, (mounted) => new ThemeChoice(mounted));
}
