// While the server is away Streamlit covers the page with a dialog for programmers. The badge says
// what a reader needs, and decisions go on into the queue, so the dialog is closed, once: Streamlit
// does not open it again until the server has answered.

const SETTLE_MS = 150;   // the dialog is being built when it is seen first

export class OutageWatch {
  constructor(root) {
    this.root = root;
    this.page = document.getElementById("root");
    this.observer = new MutationObserver(() => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.closeDialog(), SETTLE_MS);
    });
    if (this.page) this.observer.observe(this.page, { attributes: true, attributeFilter: ["inert"] });
    root.addEventListener("focusin", (event) => { this.focused = event.target; });
  }

  closeDialog() {
    const app = document.querySelector("[data-testid=stApp]");
    const close = document.querySelector("[data-testid=stDialog] button[aria-label=Close]");
    if (!this.page.inert || !app || !close) return;
    if (app.dataset.testConnectionState === "CONNECTED") return;
    close.click();
    setTimeout(() => this.restoreFocus(), 2 * SETTLE_MS);
  }

  restoreFocus() {
    if (this.focused && this.focused.isConnected && !this.page.inert) this.focused.focus();
  }

  stop() {
    clearTimeout(this.timer);
    this.observer.disconnect();
  }
}
