// Requests to the routes of this server. Each names the project of the tab.

import { emit } from "./events.js";

const NO_ANSWER = "No answer from the server.";
const NO_MORE = "The server could not say more about it.";

// `project`: of the tab, as the page says it; `person`: for whom it was drawn, null where nobody signs in.
export const PAGE = { project: null, person: null };

// The address of a route, with parameters.
function routeAddress(path, asked = {}) {
  const address = new URL(path, document.baseURI);
  for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, String(value));
  for (const name of ["project", "person"]) {
    if (PAGE[name] !== null) address.searchParams.set(name, String(PAGE[name]));
  }
  return address;
}

// Several ids as one parameter, with commas between them; an id that is a URI may have some itself.
export function listedIds(ids) {
  return ids.map((id) => id.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");
}

// A link to a document of this project.
export function documentLink(documentId) {
  const project = PAGE.project === null ? {} : { project: String(PAGE.project) };
  return `./?${new URLSearchParams({ ...project, document: documentId })}`;
}

// What a route says: `facts`, or a `problem` in a sentence. `answer` is the JSON in either case, and
// `status` that of HTTP, 0 where the server did not answer. options: as of `fetch`.
export async function askServer(path, asked = {}, options = {}) {
  return answerOf(() => fetch(routeAddress(path, asked), options));
}

// What a route says that asks the model. While the model is being loaded, or others are before this
// tab, the server says when to ask again; so it is asked as long as `isWanted()`.
export async function askPatiently(path, asked, isWanted = () => false) {
  return answerOf(() => fetchPatiently(path, asked, isWanted));
}

async function answerOf(send) {
  let status = 0;
  try {
    const response = await send();
    status = response.status ?? 0;
    const answer = tellServer(await response.json());
    if (response.ok && !answer.problem) return { facts: answer, answer, status };
    return { problem: answer.problem || NO_MORE, answer, status };
  } catch (error) {
    return { problem: NO_ANSWER, status };
  }
}

async function fetchPatiently(path, asked, isWanted) {
  globalThis.strataTab ??= Math.random().toString(36).slice(2);
  const address = routeAddress(path, { ...asked, tab: globalThis.strataTab });
  for (;;) {
    const response = await fetch(address);
    const seconds = response.status === 503 ? Number(response.headers.get("Retry-After")) : 0;
    if (!seconds || !isWanted()) return response;
    await new Promise((done) => { setTimeout(done, 1000 * seconds * (1 + Math.random() / 2)); });
    if (!isWanted()) return response;
  }
}

// Lets the page know which server answered: one that was started again does not know the page.
function tellServer(answer) {
  if (answer.server) emit("server", answer.server);
  return answer;
}
