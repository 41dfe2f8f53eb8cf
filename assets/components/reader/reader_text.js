// The text as blocks: title, headings and paragraphs, each of which knows where in the document it
// begins, and can be drawn with marks. Offsets arrive as code points and are kept as UTF-16 units.

import { element } from "../shared/dom.js";

const LONG_TITLE = 160;             // characters; most acts have more, and some a thousand
const SHORT_MARK = 48;             // characters that go on one line with what is said of them

// JavaScript counts 𝒳 as two; Python, and everything that the server says, as one.
class CodePoints {
  constructor(text) {
    this.wide = [];                  // code points that take two units, ascending
    let units = 0;
    for (const match of text.matchAll(/[\u{10000}-\u{10FFFF}]/gu)) {
      this.wide.push(match.index - units);
      units += 1;
    }
  }

  unit(position) { return position + firstNot(this.wide, (wide) => wide < position); }
}

// The place of the first item of which a condition does not hold that holds of all before it.
function firstNot(items, isBefore) {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(items[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class DocumentText {
  // title: the element for the title; body: that for the rest.
  constructor(title, body) {
    this.titleNode = title;
    this.body = body;
    this.painted = new Map();        // block -> the marks in it, as they were drawn
  }

  load(data) {
    this.texts = { text: data.text };
    this.points = { text: new CodePoints(data.text) };
    this.painted.clear();
    this.blocks = { title: [], text: [] };
    this.retitle(data.title);
    const nodes = [];
    this.depth = 1;                  // of the heading before, the title's to begin with
    const levels = data.parts.flatMap((part) => part.headings.map(([, , level]) => level));
    this.levels = [...new Set(levels)].sort((a, b) => a - b);
    const parts = data.parts.length ? data.parts : [{ start: 0, title: "", headings: [] }];
    parts.forEach((part, i) => {
      const start = this.points.text.unit(part.start);
      const end = i + 1 < parts.length ? this.points.text.unit(parts[i + 1].start) : data.text.length;
      const own = data.apart ? [] : nodes;
      if (part.title) { own.push(element("h2", "part", { dir: "auto" }, part.title)); this.depth = 2; }
      this.addPart(own, part, Math.min(start, data.text.length), Math.min(end, data.text.length));
      if (data.apart) nodes.push(element("section", "clinical", {}, own));   // one note, which may stand beside another
    });
    this.body.replaceChildren(...nodes);
  }

  retitle(title) {
    this.texts.title = title;
    this.points.title = new CodePoints(title);
    this.titleNode.textContent = title;
    this.titleNode.classList.toggle("long", title.length > LONG_TITLE);
    this.blocks.title.forEach((block) => this.painted.delete(block));
    this.blocks.title = [{ node: this.titleNode, field: "title", start: 0, end: title.length }];
  }

  addPart(nodes, part, start, end) {
    let position = start;
    for (const [from, to, level] of part.headings) {
      const [headingStart, headingEnd] = [this.points.text.unit(from), this.points.text.unit(to)];
      if (headingStart < position || headingEnd > end) continue;
      this.addParagraphs(nodes, position, headingStart);
      // Whoever goes from heading to heading by ear finds no level left out.
      this.depth = Math.min(this.depth + 1, 2 + this.levels.indexOf(level), 6);
      this.addBlock(nodes, `h${this.depth}`, headingStart, headingEnd);
      position = this.pastSpaces(headingEnd);
    }
    this.addParagraphs(nodes, position, end);
  }

  // The text behind a heading on the same line begins without the space between them.
  pastSpaces(position) {
    const spaces = /[^\S\n]*/y;
    spaces.lastIndex = position;
    return position + spaces.exec(this.texts.text)[0].length;
  }

  addParagraphs(nodes, start, end) {
    const gap = /\n[^\S\n]*\n\s*/g;
    const text = this.texts.text;
    let position = start;
    while (position < end) {
      gap.lastIndex = position;
      const found = gap.exec(text);
      const stop = found && found.index < end ? found.index : end;
      this.addBlock(nodes, "p", position, stop);
      position = found && found.index < end ? Math.min(gap.lastIndex, end) : end;
    }
  }

  // A block without the empty lines around it; none where nothing is left.
  addBlock(nodes, tag, start, end) {
    const written = this.texts.text.slice(start, end);
    const trimmed = written.replace(/^\s*\n/, "").trimEnd();
    if (!trimmed.trim()) return;
    const first = start + written.length - written.replace(/^\s*\n/, "").length;
    const node = element(tag, tag === "p" ? "" : "heading", { dir: "auto" }, trimmed);
    this.blocks.text.push({ node, field: "text", start: first, end: first + trimmed.length });
    nodes.push(node);
  }

  // From what the server says to units of a field.
  range([field, start, end]) {
    const points = this.points[field];
    return { field, start: points.unit(start), end: points.unit(end) };
  }

  // Draws marks: ranges with `rank` (evidence; 1 is the strongest) or `hit` (found by the search).
  // Only blocks whose marks are others than before are touched: a click whose mark is drawn anew
  // between press and release would be lost.
  paint(marks) {
    const byBlock = new Map();
    for (const mark of marks) {
      for (const block of this.blocksIn(mark)) {
        if (!byBlock.has(block)) byBlock.set(block, []);
        byBlock.get(block).push(mark);
      }
    }
    const drawn = new Map([...byBlock].map(([block, own]) => [block, JSON.stringify(own)]));
    for (const block of this.painted.keys()) if (!drawn.has(block)) block.node.textContent = this.written(block);
    for (const [block, own] of byBlock) {
      if (this.painted.get(block) !== drawn.get(block)) block.node.replaceChildren(...this.segments(block, own));
    }
    this.painted = drawn;
  }

  written(block) { return this.texts[block.field].slice(block.start, block.end); }

  blocksIn({ field, start, end }) {
    const blocks = this.blocks[field];
    const found = [];
    for (let i = firstNot(blocks, (block) => block.end <= start); i < blocks.length && blocks[i].start < end; i += 1) found.push(blocks[i]);
    return found;
  }

  // The block's text cut wherever a mark begins or ends, so that overlapping marks may share text.
  segments(block, marks) {
    const cuts = new Set([block.start, block.end]);
    for (const { start, end } of marks) {
      if (start > block.start) cuts.add(start);
      if (end < block.end) cuts.add(end);
    }
    const edges = [...cuts].sort((a, b) => a - b);
    const begun = new Set();
    return edges.slice(1).map((end, i) => {
      const start = edges[i];
      const here = marks.filter((mark) => mark.start < end && mark.end > start);
      const text = this.texts[block.field].slice(start, end);
      return here.length ? this.segment(text, here, begun) : document.createTextNode(text);
    });
  }

  // The number of a passage stays on the line of its first word, unless that is too long for a line.
  begin(node, text) {
    node.classList.add("begins");
    const [word] = /^\S{1,40}(?=\s|$)/.exec(text) || [""];
    if (!word) return;
    node.replaceChildren(element("span", "first", { "data-rank": node.dataset.rank }, word), text.slice(word.length));
  }

  segment(text, marks, begun) {
    const evidence = marks.filter((mark) => mark.rank);
    const strongest = evidence.reduce((best, mark) => (!best || mark.rank < best.rank ? mark : best), null);
    const node = element(strongest ? "mark" : "span", "", {}, text);
    if (strongest) {
      node.dataset.rank = String(strongest.rank);
      node.dataset.passage = String(strongest.rank - 1);
      node.dataset.place = String(strongest.place);
      if (!begun.has(strongest)) this.begin(node, text);
      begun.add(strongest);
      if (strongest.active) node.classList.add("active");
      if (strongest.asserted) {
        node.dataset.asserted = strongest.asserted.status;
        if (text.length <= SHORT_MARK) node.classList.add("short");
        node.title = `${strongest.asserted.status}: ‘${strongest.asserted.cue}’`;
      }
    }
    const hit = marks.find((mark) => mark.hit);
    if (hit) node.classList.add("hit");
    if (hit && hit.current) node.classList.add("current");
    return node;
  }
}
