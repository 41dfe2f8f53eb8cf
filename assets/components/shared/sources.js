// Which suggester has made a suggestion, in words.

const ELSEWHERE = "elsewhere: ";
const WORDS = {
  guided: "by the text’s meaning", linear: "by words in the text", lexical: "by its name, which is in the text",
  names: "by its label, which is in the text", neighbours: "by similar documents that are finished",
  corrected: "after correction by decisions here",
};

export function sourceWords(source) { return sourceName(source) || `by ${source}`; }

// "" of a source that has none.
export function sourceName(source) { return WORDS[source] || elsewhereWords(source); }

// What only a suggester on another machine has made; "" of other sources.
export function elsewhereWords(source) {
  return source.startsWith(ELSEWHERE) ? `by ${source.slice(ELSEWHERE.length)}, elsewhere` : "";
}

// Whether its name speaks for a concept at least as much as the model does: that is no approximation.
export function isByName(sources) {
  return sources.lexical !== undefined && Object.values(sources).every((probability) => probability <= sources.lexical);
}
