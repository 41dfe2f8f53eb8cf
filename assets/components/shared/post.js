// Sends what waits in the queue to the store's route: all of it each time, one request at a time.
// It needs no run of the page, so it works as soon as a server that was started again answers.

import { askServer } from "./server.js";

const POST_TIMEOUT_MS = 15000;   // longer than the store waits for another program's write

export class DecisionPost {
  // context(): what the route should know of the page; onAnswer(answer): what it said.
  constructor(queue, context, onAnswer) {
    this.queue = queue;
    this.context = context;
    this.onAnswer = onAnswer;
    this.sending = false;
  }

  configure(url) { this.url = url; }

  // What is added while a request is under way goes with the next one.
  async send() {
    this.again = true;
    if (this.sending) return;
    this.sending = true;
    try {
      while (this.again && this.queue.size) {
        this.again = false;
        const answer = await this.ask();
        if (answer) this.onAnswer(answer);
      }
    } finally {
      this.sending = false;
    }
  }

  // Null where there is no answer; the queue tries again.
  async ask() {
    const body = JSON.stringify({ ...this.context(), batches: this.queue.message() });
    const { answer = null } = await askServer(this.url, {}, {
      method: "POST", body, headers: { "Content-Type": "application/json" },
      signal: AbortSignal.timeout(POST_TIMEOUT_MS),
    });
    return answer;
  }
}
