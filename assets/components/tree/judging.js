// What who may review does with a finished document: approves it, or sends it back with a note. Both go
// on: whoever stayed on one that was sent back would finish it in the place of who is to change it, by the
// key that leads on.

export const APPROVED = "approved";
// There, the keys that decide on a concept judge the document; each asks first.
const JUDGING = { accept: "approve", reject: "send_back" };

// The command that is meant, in a document as it is now.
export function meant({ data, finished }, action) {
  return (data.may_review && finished && JUDGING[action]) || action;
}

export function approve({ state, send, tell, undoLink, prompt, go }, name) {
  if (state.judged === APPROVED) { tell("This document is approved already."); return; }
  if (state.data.own_outcome) { tell(state.data.own_outcome); return; }
  prompt.ask("Approve this document?", [{ words: "Approve", icon: "accept", run: () => {
    send([{ action: "approve", concept_id: "" }]);
    tell(`Approved ${name}.`, undoLink(), { isOfPage: true });
    go({ to: "next" });
  } }], state.keys.accept);
}

export function sendBack({ send, tell, undoLink, prompt, go }, name) {
  prompt.askWords("Send it back to who finished it?", "What is to be changed", { words: "Send back", icon: "reopen", run: (note) => {
    send([{ action: "send_back", concept_id: "", ...(note ? { value: note } : {}) }]);
    tell(`Sent back ${name}.`, undoLink(), { isOfPage: true });
    go({ to: "next" });
  } });
}
