// What stands around the tree: the counts, the slider, the badge, the banner of a finished
// document, and the buttons that concern the whole document.

import { onKeydown } from "../shared/keys.js";
import { focusedElement } from "../shared/dom.js";
import { QUEUE, queueSentence } from "../shared/queue.js";
import { PAGE } from "../shared/server.js";
import { readPreference, writePreference } from "../shared/storage.js";
import { count, percent, RATING, shownKey } from "../shared/words.js";
import { APPROVED } from "./judging.js";
import { shownMeaning, WEAK } from "./outline.js";
import { givenLeft, whyReadsAlone } from "./state.js";
import { ACTIONS_KEY, ICONS, SHOWN_KEY, WORDS } from "./view.js";

const ALL = "all";
const OVER_PX = 12;     // above and below what lies over the tree
const MOST = 100_000;   // suggestions of a document, which the server reads as a number

// How many suggestions are wanted, in this project: lists of codes and of concepts differ in length.
function wantedKey() { return `${SHOWN_KEY}.${PAGE.project}`; }

function readWanted() {
  const kept = readPreference(wantedKey());
  return kept === ALL ? Infinity : Number(kept);
}

export class Frame {
  constructor(root, { state, render, perform, tree, filters, prompt }) {
    Object.assign(this, { root, state, render, tree, filters, prompt });
    const part = (name) => root.querySelector(`.${name}`);
    Object.assign(this, {
      badge: part("badge"), empty: part("empty"), notice: part("notice"), slider: part("slider"),
      shownCount: part("shown-count"), shownMeaning: part("shown-meaning"), banner: part("banner"), finish: part("finish"), weak: part("weak"), given: part("confirm-given"),
      bar: part("bar-content"), guidelines: part("guidelines"),
    });
    const over = part("over");
    new ResizeObserver(() => tree.cover(over.offsetHeight ? over.offsetHeight + OVER_PX : 0)).observe(over);
    this.notice.querySelector("button").addEventListener("click", () => { this.closed = this.noticed; this.notice.hidden = true; });
    this.iconsOnly = part("icons-only");
    this.iconsOnly.addEventListener("click", () => this.showIcons(this.iconsOnly.getAttribute("aria-pressed") === "false"));
    this.showIcons(readPreference(ACTIONS_KEY) === ICONS);
    this.slider.addEventListener("input", () => this.slide());
    onKeydown(this.slider, (event) => event.stopPropagation());
    part("expand").addEventListener("click", () => tree.setAllOpen(true));
    part("collapse").addEventListener("click", () => tree.setAllOpen(false));
    for (const button of root.querySelectorAll("[data-command]")) {
      button.addEventListener("click", () => perform(button.dataset.command));
    }
  }

  configure(data) {
    RATING.withheld = Boolean(data.unrated);
    this.isMeasured = Boolean(data.is_measured);   // probabilities were fitted on such documents
    this.listedShare = data.listed_share;          // of its concepts, what is among the suggestions
    this.configureNotice(data);
    this.guidelines.hidden = !data.has_guidelines;
    this.empty.textContent = data.empty;
    this.suggested = this.state.outline.suggested.length;
    if (this.project !== PAGE.project) this.chosen = null;
    this.project = PAGE.project;
    this.chosen = this.chosen || readWanted();
    this.wanted = this.chosen || data.shown;
    this.slider.max = String(Math.max(this.suggested, 1));
    this.state.limit = Math.min(this.wanted, this.suggested);
    this.slider.value = String(this.state.limit);
    this.slider.disabled = this.suggested < 2;
  }

  // Closed by hand, it stays so for this document; what holds of a kind of documents, which has a
  // reason, for all of them, or a coder would close it on every stay.
  configureNotice({ notice, notice_reason: reason, document_id: documentId }) {
    this.noticed = reason ? notice : `${documentId} ${notice}`;
    this.notice.firstChild.textContent = notice || "";
    this.notice.hidden = !notice || this.closed === this.noticed;
    this.notice.title = reason || "";
  }

  // Whether buttons show their icons and keys alone, as this browser keeps it.
  showIcons(isWanted) {
    this.iconsOnly.setAttribute("aria-pressed", String(isWanted));
    this.root.classList.toggle("icons", isWanted);
    writePreference(ACTIONS_KEY, isWanted ? ICONS : WORDS);
  }

  // What people call that of which a tree is made: coders have codes, others concepts.
  name(codes) {
    const [one, many] = codes ? ["code", "codes"] : ["concept", "concepts"];
    this.one = one;
    const names = [[".workbench", `${many[0].toUpperCase()}${many.slice(1)}`], [".search input", `Add a ${one}`], ["[role=listbox]", `${many[0].toUpperCase()}${many.slice(1)} found`],
      ["[role=tree]", `Suggested ${many} and ${codes ? "what is above them" : "their broader concepts"}`], [".dock", `The selected ${one}`]];
    for (const [selector, words] of names) (this.root.matches(selector) ? this.root : this.root.querySelector(selector)).setAttribute("aria-label", words);
    this.root.querySelector(".card-panel summary").textContent = `About the ${one}`;
  }

  configureKeys(keys) {
    for (const kbd of this.root.querySelectorAll("kbd[data-key]")) kbd.textContent = keys[kbd.dataset.key] ? shownKey(keys[kbd.dataset.key]) : "";
    for (const button of this.root.querySelectorAll("[data-command]")) {
      const key = keys[button.dataset.command];
      if (key) button.title = `${button.dataset.words || button.getAttribute("aria-label") || button.textContent.trim()} (${shownKey(key)})`;
    }
  }

  // Whoever has chosen a number by hand sees so many, however improbable; a key shows the others and
  // leaves them out again, for one document.
  get leavesOutWeak() { return !(this.showsWeak ?? Boolean(this.chosen)); }

  // Of other documents, whose lists are longer or shorter than this one.
  get limitElsewhere() { return Math.min(this.wanted, MOST); }

  slide() {
    // The end of this list is no number: all of a longer one are wanted then, too.
    const isAll = this.slider.value === this.slider.max;
    this.chosen = this.wanted = isAll ? Infinity : Number(this.slider.value);
    this.state.limit = Number(this.slider.value);
    this.showsWeak = true;
    writePreference(wantedKey(), isAll ? ALL : this.slider.value);
    this.render();
  }

  showBar(visible) { this.bar.hidden = !visible; }

  paint() {
    const { state, prompt } = this;
    const { outline, limit, weak, readOnly, notTaken, counts: { accepted, rejected, unresolved } } = state;
    this.showBar(!prompt.isOpen || prompt.isOver);
    this.tree.root.hidden = !state.rows.length;
    this.empty.hidden = state.rows.length > 0 && !state.rows[0].node.isGroup;
    this.empty.textContent = this.emptySentence();
    const shown = limit - weak.size;
    if (focusedElement() !== this.slider) this.slider.value = String(shown);
    this.shownCount.textContent = this.suggested ? `${shown} of ${this.suggested}` : "none";
    const withRows = outline.suggested.slice(0, limit).filter(({ id }) => !weak.has(id));
    const meaning = this.isMeasured ? shownMeaning(outline.suggested, withRows, this.listedShare) : "";
    this.shownMeaning.textContent = meaning;
    this.slider.setAttribute("aria-valuetext", `${shown} of ${this.suggested} suggestions${meaning && `, ${meaning}`}`);
    this.paintWeak();
    this.paintGiven();
    this.badge.textContent = queueSentence(QUEUE);
    this.badge.dataset.status = QUEUE.status;
    this.banner.hidden = !readOnly;
    const left = notTaken.size;
    const readsAlone = Boolean(state.data.reads_alone);
    const isApproved = state.judged === APPROVED;
    const word = isApproved ? "Approved" : "Finished";
    const mayReview = Boolean(state.data.may_review);
    this.banner.querySelector(".reopen").hidden = readsAlone || (isApproved && !mayReview);
    this.banner.querySelector(".approve").hidden = !mayReview || isApproved || Boolean(state.data.own_outcome);
    this.banner.querySelector(".send-back").hidden = !mayReview;
    this.banner.querySelector(".sentence").textContent = readsAlone ? whyReadsAlone(state)
      : mayReview ? `${word}. ${isApproved ? "" : state.data.own_outcome || ""}`.trim() : `${word}: ${accepted} accepted, ${rejected} rejected${left ? `, ${left} not taken` : ""}. It can only be read.`;
    this.finish.querySelector(".words").textContent = readOnly ? "Next document" : "Finish";
    this.finish.title = this.finishTitle();
    Object.assign(this.root.dataset, {
      ready: "true", pending: String(QUEUE.size), document: state.documentId, accepted, rejected, unresolved,
      finished: String(readOnly), version: String(state.version),
    });
  }

  // What was left out, and the key that shows it.
  paintWeak() {
    const { improbable, weak } = this.state;
    const number = improbable.length;
    this.weak.hidden = !number;
    if (!number) return;
    const less = RATING.withheld ? "improbable" : `less probable than ${percent(WEAK)}`;
    const words = weak.size ? `${number} more, each ${less}` : `Leave out the ${number} that are ${less}`;
    this.weak.querySelector(".words").textContent = words;
    this.weak.setAttribute("aria-expanded", String(!weak.size));
  }

  // What came with the document is confirmed together.
  paintGiven() {
    const number = givenLeft(this.state).length;
    this.given.hidden = !number;
    this.given.querySelector(".words").textContent = `Confirm ${number} given`;
  }

  emptySentence() {
    const { branch, data } = this.state;
    const one = this.one || "concept";
    if (this.filters.active) return `No ${one} passes the filter.`;
    return branch ? `No suggested ${one} of this document is in the branch ${branch.label}.` : data.empty;
  }

  finishTitle() {
    const { readOnly, counts } = this.state;
    if (readOnly) return "Open the next document that is not finished";
    const left = count(counts.untouched, "suggestion stays untouched", "suggestions stay untouched");
    return `Finish this document and open the next; ${left}`;
  }
}
