// What an act is about comes after its kind, number and date, which a narrow list has no room for.

const NUMBERED_TITLE = new RegExp([
  /^(?<kind>\D{3,80}?)\s*/,                                 // Commission Implementing Regulation
  /(?:\((?:EU|EC|EEC|CFSP|Euratom)[^)]{0,20}\)\s*)?/,       // (EU)
  /(?:No\.?\s+)?(?<number>\d{1,4}\/\d{1,4}(?:\/\w{2,8})?)/, // 2017/53, 64/2014, 2014/65/EU
  /(?:,?\s+of\s+\d{1,2}\s+\p{L}+\s+\d{4})?[:,]?\s+/u,       // of 14 December 2016
  /(?<about>\S[^]{14,})$/,
].map((part) => part.source).join(""), "u");

// What an act does to another one says less than what it is about.
const CHANGES = /^(?<verb>amending|supplementing|implementing|correcting|derogating from|repealing)\b/u;
const REGARDS = /\b(?:with regard to|as regards|as concerns|with respect to|in respect of|in relation to|concerning)\s+(?<subject>\S[^]{11,})$/u;
const ADOPTED_BY = /^of the \p{Lu}[\p{L} ]{3,80} of \d{1,2} \p{L}+ \d{4},?\s+/u;
const LEADS_IN = /^(?:on|concerning|regarding|relating to|as regards|with regard to)\s+(?:the\s+)?/u;
const NOTE_BEHIND = /(?<!\s)\s*\((?:Text with EEA relevance|notified under document)[^)]*\)?\.?\s*$/u;

// {head, about} of such a title, its subject first; or the whole title as `about`.
export function titleParts(title) {
  const found = NUMBERED_TITLE.exec(title.trim());
  if (!found) return { head: "", about: title };
  const { kind, number, about } = found.groups;
  const whole = about.replace(NOTE_BEHIND, "").replace(ADOPTED_BY, "");
  const change = CHANGES.exec(whole);
  const regards = change && REGARDS.exec(whole);
  const subject = (regards ? regards.groups.subject : whole).replace(LEADS_IN, "").replace(/^the\s+/u, "");
  const verb = regards ? `, ${change.groups.verb}` : "";
  return { head: `${number} · ${kind.trim()}${verb}`, about: subject.length > 11 ? subject : about };
}
