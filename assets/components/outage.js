// While the server is away Streamlit covers the page with a dialog for programmers. The badge says
// what a reader needs, and decisions go on into the queue, so the dialog is closed at once.

class OutageWatch {
  constructor(root) {
    this.root = root;
    this.page = document.getElementById("root");
    this.observer = new MutationObserver(() => this.look());
    if (this.page) this.observer.observe(this.page, { attributes: true, attributeFilter: ["inert"] });
    this.root.addEventListener("focusin", (event) => { this.focused = event.target; });
  }

  look() {
    const app = document.querySelector("[data-testid=stApp]");
    const dialog = document.querySelector("[data-testid=stDialog]");
    if (!this.page.inert || !dialog || !app) return;
    if (app.dataset.testConnectionState === "CONNECTED") return;
    const close = dialog.querySelector("button[aria-label=Close]");
    if (!close) return;
    close.click();
    setTimeout(() => { if (this.focused && this.focused.isConnected) this.focused.focus(); }, 50);
  }

  stop() {
    this.observer.disconnect();
  }
}
