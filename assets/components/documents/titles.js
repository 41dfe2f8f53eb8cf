// What an act is about comes after its kind, number and date, which a narrow list has no room for.

const NUMBERED_TITLE = new RegExp([
  /^(?<kind>\D{3,80}?)\s*/,                                 // Commission Implementing Regulation
  /(?:\((?:EU|EC|EEC|CFSP|Euratom)[^)]{0,20}\)\s*)?/,       // (EU)
  /(?:No\.?\s+)?(?<number>\d{1,4}\/\d{1,4}(?:\/\w{2,8})?)/, // 2017/53, 64/2014, 2014/65/EU
  /(?:,?\s+of\s+\d{1,2}\s+\p{L}+\s+\d{4})?[:,]?\s+/u,       // of 14 December 2016
  /(?<about>\S[^]{14,})$/,
].map((part) => part.source).join(""), "u");

// {head, about} of such a title, or the whole title as `about`.
function titleParts(title) {
  const found = NUMBERED_TITLE.exec(title.trim());
  if (!found) return { head: "", about: title };
  const { kind, number, about } = found.groups;
  return { head: `${number} · ${kind.trim()}`, about };
}
