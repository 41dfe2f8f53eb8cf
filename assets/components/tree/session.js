// Another person, or another tab, at the same document: asks now and then whether something new
// was decided. Versions say what is newer; what is still in this page's queue stays on top.

import { emit, listen } from "../shared/events.js";
import { askServer } from "../shared/server.js";

const POLL_MS = 2500;

export class OtherSessions {
  // onNews({version, status, decisions, nodes}) for something newer than `version()`.
  constructor(version, onNews) {
    this.version = version;
    this.onNews = onNews;
    this.endListening = listen(document, { visibilitychange: () => this.ask() });   // asks nothing while it is hidden
    this.timer = setInterval(() => this.ask(), POLL_MS);
  }

  stop() {
    clearInterval(this.timer);
    this.endListening();
  }

  configure(url, documentId, language) {
    this.url = url;
    this.documentId = documentId;
    this.language = language;
  }

  async ask() {
    if (document.hidden || !this.url || this.asking) return;
    const documentId = this.documentId;
    this.asking = true;
    // Where the server is away, the badge says so when there is something to save.
    const { facts: news } = await askServer(this.url, { document: documentId, after: this.version(), lang: this.language });
    this.asking = false;
    if (news && news.here) emit("here", { documentId, people: news.here });
    if (news && news.decisions && documentId === this.documentId && news.version > this.version()) this.onNews(news);
  }
}
