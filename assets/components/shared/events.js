// What the parts of a page tell each other, as events of the document with a detail:
//
// select {documentId, conceptId, conceptIds, label, hover}: the concept that is looked at on the tree
// support {documentId, conceptIds}: what a marked passage supports; note, passage {by}; find: in the text
// cite {documentId, words, start, end}: evidence for the code at the cursor; search {documentId, words}
// here {documentId, people}: others who have the document open
// read {documentId}: the text is there; leave-text: the keys are for the tree; evidence-resize
// counts {documentId, finished, accepted, …}; elsewhere {documentId}: something was undone there
// similar, similar-wanted, similar-take, similar-states: between the tree and the similar documents
// server: the id of the server that answered

export function emit(name, detail = {}) { document.dispatchEvent(new CustomEvent(`strata:${name}`, { detail })); }

// Hears the details of such events by name; returns what ends that.
export function hear(listeners) {
  const heard = Object.entries(listeners).map(([name, listener]) => [`strata:${name}`, ({ detail }) => listener(detail)]);
  return listen(document, Object.fromEntries(heard));
}

// Listens to any events by name; returns what ends that.
export function listen(target, listeners, capture = false) {
  const all = Object.entries(listeners);
  for (const [name, listener] of all) target.addEventListener(name, listener, capture);
  return () => { for (const [name, listener] of all) target.removeEventListener(name, listener, capture); };
}

// Clicks on what a selector names within a place: listener(what was clicked, event).
export function onClick(place, selector, listener) {
  place.addEventListener("click", (event) => {
    const clicked = event.target.closest(selector);
    if (clicked) listener(clicked, event);
  });
}
