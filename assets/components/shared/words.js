// Numbers and texts as people read them.

const TITLE_CHARACTERS = 500;   // what is longer is a text

// Whether probabilities are withheld: they do not hold for what a model has not learned to read.
export const RATING = { withheld: false };

// A probability, which is never said to be none where there is a little; "" where it is not known.
export function percent(probability) {
  if (RATING.withheld) return "";
  if (probability === null || probability === undefined) return "";
  if (probability > 0 && probability < 0.005) return "<1%";
  return `${Math.round(probability * 100)}%`;
}

// When something was done, as one says it to a colleague: today's by the hour, others by the day.
export function momentWords(iso, now = new Date()) {
  const moment = new Date(iso);
  const isToday = moment.toDateString() === now.toDateString();
  if (isToday) return moment.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const isThisYear = moment.getFullYear() === now.getFullYear();
  return moment.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: isThisYear ? undefined : "numeric" });
}

// In one line, with at most so many characters.
export function shortened(text, most = 160) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

export function count(number, one, many) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

// A name without the code that some vocabularies write behind it.
export function withoutCode(label, code) { return label.replace(` (${code})`, ""); }

// Text in a sentence, without the signs that would turn round what stands behind it.
export function plainOrder(text) {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
}

// A key as people read it: "A", "⇧R", "⇧Enter".
export function shownKey(name) {
  const held = name.startsWith("Shift+");
  const key = held ? name.slice(6) : name;
  return `${held ? "⇧" : ""}${key.length === 1 ? key.toUpperCase() : key}`;
}

// As people type what they look for: without accents, in small letters.
export function plainLetters(text) {
  return String(text || "").normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

// Whether something that is pasted is a text and no title: of several lines, or long.
export function isText(pasted) {
  const text = pasted.trim();
  return text.length > TITLE_CHARACTERS || /[\r\n]/.test(text);
}

// Where a title is sure to be meant, one may be copied in several lines.
export function isLong(pasted) { return pasted.trim().length > TITLE_CHARACTERS; }
