// Keys: which are commands, which are typed into a field, and which an input method keeps for itself.

// Fields in which nothing is typed: a letter there is a key like any other.
const UNTYPED = ["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"];
const FIELDS = `input${UNTYPED.map((type) => `:not([type=${type}])`).join("")}, textarea, select, [contenteditable=""], [contenteditable=true]`;
// What lies over a page has keys of its own.
const OVERLAYS = "dialog, [role=dialog], [role=menu], [role=listbox], [data-testid=stPopoverBody]";

// Whether a person types here.
export function isField(node) { return Boolean(node?.matches) && node.matches(FIELDS); }

// Whether a key was pressed in something that lies over the page.
export function isInOverlay(event) {
  return event.composedPath().some((node) => node.matches && node.matches(OVERLAYS));
}

// Whether a key belongs to an input method, as for Chinese or Japanese, by which a word is being
// written: Enter takes the word, arrows choose among words, Escape gives it up. Some browsers say so
// of the last key by its old number alone.
function isComposed(event) { return event.isComposing || event.keyCode === 229; }

// Listens to keys, but for those of an input method, which decide nothing anywhere: nothing else may
// add a listener for them. Returns what ends the listening.
export function onKeydown(target, listener, { capture = false, signal } = {}) {
  const heard = (event) => {
    if (!isComposed(event)) listener(event);
    else if (!capture) event.stopPropagation();   // Streamlit listens to letters of its own
  };
  target.addEventListener("keydown", heard, { capture, signal });
  return () => target.removeEventListener("keydown", heard, { capture });
}

// Whether a key is a command of the browser or of the system. With AltGr, which some report as Alt and
// Ctrl, a character is typed; so are brackets with Option on keyboards that have no keys for them.
export function isCommand(event) {
  const isTyped = event.key.length === 1 && event.getModifierState("AltGraph");
  const isBracket = event.altKey && (event.key === "[" || event.key === "]");
  return event.metaKey || ((event.altKey || event.ctrlKey) && !isTyped && !isBracket);
}

// A key as `core/review/keys.py` writes it: letters small, "Shift+" where Shift is held, but not
// for signs that are typed with it ("?" stays "?").
export function keyName(event) {
  const { key } = event;
  if (key.length > 1) return event.shiftKey ? `Shift+${key}` : key;
  const isLetter = key.toLowerCase() !== key.toUpperCase();
  if (!isLetter) return key;
  return event.shiftKey ? `Shift+${key.toUpperCase()}` : key.toLowerCase();
}

// What is done by a key, of actions by the names of their keys. Where letters are Greek, Cyrillic or the
// like, those of the table stand in the same places, unless a person chose others.
export function actionOf(event, actions) {
  return actions.get(keyName(event)) ?? actions.get(keyName({ key: latinLetter(event), shiftKey: event.shiftKey }));
}

export function isKey(event, name) { return Boolean(actionOf(event, new Map([[name, true]]))); }

// The letter that a keyboard of Latin letters has in this place; "" for a key that has one, or no letter.
function latinLetter({ key, code = "" }) {
  const isOther = /^\p{L}$/u.test(key) && !/\p{Script=Latin}/u.test(key);
  return isOther && /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : "";
}
