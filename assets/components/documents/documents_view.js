// How the table of documents was left, for as long as the tab lives.

import { readJson, writeStored } from "../shared/storage.js";
import { COLUMNS, MENTIONS, STATUSES, UNREAD } from "./documents_rows.js";

const VIEW_KEY = "strata.view.documents";
export const BIN = "bin";
export const PAGE_SIZE = 100;
// For this page load; what may hold text is not written to the browser's storage. opened: the id of
// the document that was opened from the table last.
export const VIEW = { status: "all", batch: null, whose: "all", query: "", field: "updated", down: true, page: 0, opened: null, ...readView() };

function readView() {
  const { status, field, down, whose } = readJson("sessionStorage", VIEW_KEY) || {};
  const known = COLUMNS.some(([name]) => name === field) && typeof down === "boolean";
  return known ? { status: [...STATUSES, UNREAD, MENTIONS, BIN].includes(status) ? status : "all", field, down, whose: ["mine", "free"].includes(whose) ? whose : "all" } : {};
}

export function writeView() {
  const { status, field, down, whose } = VIEW;
  writeStored("sessionStorage", VIEW_KEY, JSON.stringify({ status, field, down, whose }));
}
