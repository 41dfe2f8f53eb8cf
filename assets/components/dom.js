// Building blocks shared by the components. Data reaches the page through textContent only.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

const ICON_PATHS = {
  accept: "M3 8.5l3.2 3.2L13 4.8",
  reject: "M4 4l8 8M12 4l-8 8",
  open: "M6 4l4 4-4 4",
  implied: "M8 12.5V4M4.5 7.2L8 3.7l3.5 3.5",
};

function element(tag, className = "", attributes = {}, text = null) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== null) node.textContent = text;
  return node;
}

function icon(name) {
  const svg = document.createElementNS(SVG_NAMESPACE, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "icon");
  const path = document.createElementNS(SVG_NAMESPACE, "path");
  path.setAttribute("d", ICON_PATHS[name]);
  svg.append(path);
  return svg;
}

// The element that has the focus, also inside shadow roots.
function focusedElement() {
  let active = document.activeElement;
  while (active && active.shadowRoot && active.shadowRoot.activeElement) {
    active = active.shadowRoot.activeElement;
  }
  return active;
}

function count(number, one, many) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

// Streamlit runs the cleanup of a superseded render although the element is still mounted, so
// an instance belongs to its mount point, and is torn down only when that has left the page.
function mountOnce(instances, component, create) {
  const host = component.parentElement;
  let instance = instances.get(host);
  if (!instance) {
    instance = create(component);
    instances.set(host, instance);
  }
  instance.update(component);
  return () => {
    setTimeout(() => {
      if (instance.root.isConnected || instances.get(host) !== instance) return;
      instances.delete(host);
      instance.destroy();
    }, 0);
  };
}
