// Copies a text; true where it is in the clipboard. Pages without encryption have no clipboard of
// their own; the old way copies what is selected.

import { element, focusedElement } from "./dom.js";

export async function intoClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    return copySelected(text);
  }
}

function copySelected(text) {
  const focused = focusedElement();
  const area = element("textarea", "", { readonly: "", "aria-hidden": "true" });
  Object.assign(area.style, { position: "fixed", opacity: "0" });
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (focused) focused.focus({ preventScroll: true });
  return isCopied;
}
