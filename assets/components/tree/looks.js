// How each state of a concept looks: its words, its icon, the filters that show it, and the button that
// it presses. Colours stand in workbench.css, those of the charts in pages/charts/style.py. Pure: no DOM.

// fact: what the bar says of the causes; ways: what mends it, by what is done, in the row.
export const LOOKS = {
  accepted: { words: "accepted", icon: "accept", filters: ["accepted"], presses: "accept" },
  rejected: { words: "rejected", icon: "reject", filters: ["rejected"], presses: "reject" },
  excluded: { words: "nothing in this branch", icon: "excluded", filters: ["rejected"] },
  conflict: {
    words: "accepted, but in conflict", icon: "warning", filters: ["accepted", "conflict"], presses: "accept",
    fact: "in conflict: you ruled out all of", ways: [["lift", "Lift that"], ["reject", "Reject this"]],
  },
  "below excluded": { words: "in a branch that was ruled out", icon: "below", fact: "you ruled out all of" },
  implied: { words: "implied by what is accepted below", icon: "implied", fact: "implied by" },
  open: { words: "to be specified", icon: "specify", filters: ["unresolved"], presses: "down" },
  unresolved: { words: "unresolved" },
  denied: { words: "denied or over" },
  "not taken": { words: "not taken", icon: "not_taken" },
  heading: { words: "broader" },
};

// The chips above the tree; one that is rare is hidden while it shows nothing.
export const FILTERS = {
  all: { words: "All", shows: () => true },
  unresolved: { words: "Unresolved", shows: (state) => Boolean(state && state.unresolved) || isShownBy("unresolved", state) },
  accepted: { words: "Accepted", shows: (state) => isShownBy("accepted", state) },
  rejected: { words: "Rejected", shows: (state) => isShownBy("rejected", state) },
  conflict: { words: "Conflicts", shows: (state) => isShownBy("conflict", state), isRare: true },
};

function isShownBy(filter, state) {
  return Boolean(state && (LOOKS[state.word].filters || []).includes(filter));
}

// Of a concept that this version of the vocabulary does not offer any more.
export function withdrawnWords({ instead }) {
  if (!instead || !instead.length) return "withdrawn";
  const more = instead.length - 2;
  return `withdrawn: use ${instead.slice(0, 2).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
