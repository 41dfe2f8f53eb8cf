// Building blocks shared by the components. Data reaches the page through textContent only.

import { PAGE } from "./server.js";

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const TEXT = new TextDecoder();

const ICON_PATHS = {
  accept: "M3 8.5l3.2 3.2L13 4.8",
  reject: "M4 4l8 8M12 4l-8 8",
  open: "M6 4l4 4-4 4",
  implied: "M8 12.5V4M4.5 7.2L8 3.7l3.5 3.5",
  excluded: "M8 2.6a5.4 5.4 0 100 10.8A5.4 5.4 0 008 2.6zM4.3 4.3l7.4 7.4",
  below: "M4 8h8",
  warning: "M8 2.4L14.2 13.2H1.8zM8 6.6v3.2M8 11.4v.1",
  given: "M8 2.5v6.2M5.2 6.2L8 9l2.8-2.8M3 12.8h10",
  main: "M8 2.3l1.7 3.6 3.9.5-2.9 2.7.8 3.9L8 11.1l-3.5 1.9.8-3.9L2.4 6.4l3.9-.5z",
  back_off: "M12.5 13V9.2a3 3 0 00-3-3H3.6M6.4 3.2l-3 3 3 3",
  clear: "M3 12.8h10M5 10.2L10.6 4.6l2 2-3.8 3.8z",
  branch: "M4 3v10M4 6h5M4 11h5M11 6h1.5M11 11h1.5",
  only: "M2.5 3.5h11L9.4 8.4V13l-2.8-1.6v-3z",
  next: "M8 3v9M4.4 8.6L8 12.2l3.6-3.6",
  finish: "M4 14V2.5h8.2l-2 2.9 2 2.9H4",
  undo: "M6 3.5L3 6.5l3 3M3.4 6.5h6a3.4 3.4 0 010 6.8H6.5",
  help: "M5.6 6a2.4 2.4 0 114 1.8C8.5 8.6 8 9 8 10M8 12.6v.1",
  reopen: "M12.8 8a4.8 4.8 0 11-1.5-3.5M12.9 2.5v2.7h-2.7",
  down: "M4 2.8v6.4a2 2 0 002 2h6M9.4 8.5l2.8 2.7-2.8 2.7",
  specify: "M3.4 8h.1M8 8h.1M12.5 8h.1",
  note: "M8 7.4v4.2M8 4.6v.1M8 2a6 6 0 100 12A6 6 0 008 2z",
  present: "M2.5 13V3M2.5 9h11v4M5 9V6.8h5.5A3 3 0 0113.500 9",
  copy: "M6 6h7v7H6zM3 10V3h7",
  pencil: "M3 13l.7-3L10.9 2.8l2.3 2.3L6 12.3zM9.4 4.3l2.3 2.3",
  not_taken: "M4 4.5l4 3.5-4 3.5zM9 4.5l4 3.5-4 3.5z",
};

// attributes: a function is called at the event of that name. children: nodes and texts, or lists of
// them; null, false and "" are left out.
export function element(tag, className = "", attributes = {}, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value);
  }
  node.append(...children.flat().filter(Boolean));
  return node;
}

export function icon(name) {
  const svg = document.createElementNS(SVG_NAMESPACE, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "icon");
  const path = document.createElementNS(SVG_NAMESPACE, "path");
  path.setAttribute("d", ICON_PATHS[name]);
  svg.append(path);
  return svg;
}

// What fills a bar up to so many percent of it.
export function bar(percentage) {
  const fill = element("i");
  fill.style.width = `${percentage}%`;
  return fill;
}

// The element that has the focus, also inside shadow roots.
export function focusedElement() {
  let active = document.activeElement;
  while (active && active.shadowRoot && active.shadowRoot.activeElement) {
    active = active.shadowRoot.activeElement;
  }
  return active;
}

// Nodes with a sign between them, to be appended one after the other.
export function separated(nodes, sign = ", ") {
  return nodes.flatMap((node, at) => (at ? [sign, node] : [node]));
}

// Gives a place these children and keeps every node that can stay, made equal to what is wanted: a
// button that is replaced between press and release gets no click, and under the focus it loses it.
export function setChildren(place, wanted) {
  const nameOf = (node, at) => (node.dataset && (node.dataset.document || node.dataset.key)) || `${at} ${node.nodeName}`;
  const known = new Map([...place.childNodes].map((node, at) => [nameOf(node, at), node]));
  const next = wanted.map((node, at) => (known.has(nameOf(node, at)) ? madeEqual(known.get(nameOf(node, at)), node) : node));
  const staying = new Set(next);
  for (const node of [...place.childNodes]) if (!staying.has(node)) node.remove();
  next.forEach((node, at) => { if (place.childNodes[at] !== node) place.insertBefore(node, place.childNodes[at] || null); });
}

// The known node with all that the wanted one has, or the wanted one where they are of two kinds.
export function madeEqual(known, wanted) {
  if (known.checked !== undefined) known.checked = wanted.checked;
  if (known.isEqualNode(wanted)) { takeChecks(known, wanted); return known; }
  if (known.nodeName !== wanted.nodeName || !known.attributes) return wanted;
  for (const { name } of [...known.attributes]) if (!wanted.hasAttribute(name)) known.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (known.getAttribute(name) !== value) known.setAttribute(name, value);
  setChildren(known, [...wanted.childNodes]);
  return known;
}

// Nodes are equal although a box in one of them is ticked.
function takeChecks(known, wanted) {
  if (!known.querySelectorAll) return;
  const boxes = known.querySelectorAll("input");
  wanted.querySelectorAll("input").forEach((box, at) => { boxes[at].checked = box.checked; });
}

// What a person asks for, kept until the server has taken it. Streamlit drops a message about a
// part of the page that has been drawn anew meanwhile, and the older of two messages that wait; so
// each message carries all that waits, and every draw that does not have it has it sent again.
class Outbox {
  constructor() {
    this.client = `${Date.now()}.${Math.random()}`;
    this.number = 0;
    this.waiting = [];
  }

  send(event, value) {
    this.number += 1;
    this.waiting.push({ number: this.number, event, value });
    this.deliver();
  }

  deliver() {
    this.component.setTriggerValue(this.waiting.at(-1).event, { client: this.client, waiting: this.waiting });
  }

  update(component) {
    this.component = component;
    const taken = (component.data.taken || {})[this.client] || 0;
    this.waiting = this.waiting.filter(({ number }) => number > taken);
    if (this.waiting.length) this.deliver();
  }
}

// Streamlit runs the cleanup of a superseded render although the element is still mounted, so
// an instance belongs to its mount point, and is torn down only when that has left the page.
export function mountOnce(instances, mounted, create) {
  const component = { ...mounted, data: JSON.parse(TEXT.decode(mounted.data)) };
  const host = component.parentElement;
  PAGE.project = component.data.project ?? null;
  PAGE.person = component.data.person ?? null;
  let instance = instances.get(host);
  if (!instance) {
    instance = create(component);
    instance.outbox = new Outbox();
    instances.set(host, instance);
  }
  instance.outbox.update(component);
  instance.update(component);
  return () => {
    setTimeout(() => {
      if (instance.root.isConnected || instances.get(host) !== instance) return;
      instances.delete(host);
      instance.destroy();
    }, 0);
  };
}
