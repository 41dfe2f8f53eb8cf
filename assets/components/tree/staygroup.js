// The diagnosis related group of a stay beside its codes, and what each code does to it. It is asked
// for behind everything else, once decisions are stored, and never orders anything.

import { element } from "../shared/dom.js";
import { askPatiently } from "../shared/server.js";
import { NO_EFFECT } from "./state.js";

const GROUP_DELAY_MS = 600;
const SILENT = ["principal"];      // the row says so already
const OTHER = "not grouped";       // of another code system; that it does not count goes without saying

export class StayGroup {
  constructor(root, { state, render }) {
    Object.assign(this, { root, state, render });
    this.clear();
  }

  clear() {
    clearTimeout(this.timer);
    this.key = this.text = this.state.effects = null;
    this.root.hidden = true;
  }

  stop() { clearTimeout(this.timer); }

  // Asks once decisions, suggestions or the stay are others than those of the last answer.
  decided() {
    const { documentId, version, outlineNumber, data, effects } = this.state;
    if (!data.drg_url) { if (effects) this.clear(); return; }
    const key = JSON.stringify([documentId, version, outlineNumber, data.stay]);
    if (key === this.key) return;
    this.key = key;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(key), GROUP_DELAY_MS);
  }

  async ask(key) {
    const { data, documentId } = this.state;
    const { facts, problem } = await askPatiently(data.drg_url, { document: documentId }, () => key === this.key);
    if (key !== this.key) return;
    const text = JSON.stringify(facts || problem);
    if (text === this.text) return;
    this.text = text;
    this.state.effects = facts || { group: null, why: problem, accepted: {}, offered: {} };
    this.paint();
    this.render();
  }

  paint() {
    const { group, why } = this.state.effects;
    this.root.hidden = false;
    if (!group) { this.root.replaceChildren(element("b", "", {}, "MS-DRG"), " ", element("span", "", {}, why)); return; }
    const facts = [group.mdc ? `MDC ${group.mdc}` : "", `severity: ${group.severity || "neither CC nor MCC"}`].filter(Boolean);
    const small = [group.note, group.version, ...group.assumed];
    this.root.replaceChildren(
      element("b", "", {}, `MS-DRG ${group.drg}`), " ", element("span", "", {}, group.title),
      element("span", "facts", {}, facts.join(" · ")), element("small", "", {}, small.join(" · ")),
    );
  }
}

// On a row of the accepted codes, once; again where the effect is another.
export function showEffect(item, effects) {
  const effect = (effects && effects.accepted[item.dataset.concept]) || null;
  const key = JSON.stringify(effect);
  if (item.effect === key) return;
  item.effect = key;
  item.named ??= item.getAttribute("aria-label");
  const before = item.querySelector(":scope > .line > .marks > .effect");
  if (before) before.remove();
  const isShown = effect && !SILENT.includes(effect.mark);
  item.setAttribute("aria-label", isShown ? `${item.named}, ${effectWords(effect)}` : item.named);
  if (isShown) item.querySelector(".marks").prepend(effectMark(effect));
}

export function effectWords({ mark, words }) { return `${mark}: ${words}`; }

// A small mark, with the group that it leads to.
export function effectMark(effect, leadsTo = "") {
  const kind = effect.mark === NO_EFFECT ? "none" : effect.counts ? "counts" : "left-out";
  return element("span", `effect ${kind}`, { title: effectWords(effect), "aria-hidden": "true" }, effect.mark,
    kind === "left-out" && effect.mark !== OTHER && " · not counted", leadsTo && ` → ${leadsTo}`);
}
