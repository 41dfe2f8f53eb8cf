// Delivers, on a page without a tree, what could not be stored before; and has the whole page drawn
// anew once an answer comes from another server than the one that drew it.

import { mountOnce } from "./dom.js";
import { hear } from "./events.js";
import { foldSidebar } from "./fold.js";
import { waitForFields } from "./leaving.js";
import { DecisionPost } from "./post.js";
import { QUEUE, queueSentence } from "./queue.js";
import { askServer, PAGE } from "./server.js";

const LOOK_MS = 5000;

const INSTANCES = new WeakMap();

waitForFields();

class Sender {
  constructor(component) {
    this.root = component.parentElement.querySelector(".sender");
    this.post = new DecisionPost(QUEUE, () => ({}), (answer) => {
      QUEUE.settle(answer.receipts, answer.problem);
      this.render();
    });
    this.endHearing = hear({
      server: (server) => { if (server !== this.component.data.server) this.component.setTriggerValue("wake", Date.now()); } });
    // After each run of a page: Streamlit leaves the address behind on the way to another page.
    this.runs = new MutationObserver(nameProject);
    const app = document.querySelector("[data-testid=stApp]");
    if (app) this.runs.observe(app, { attributes: true, attributeFilter: ["data-test-script-state"] });
    this.timer = setInterval(() => { nameProject(); this.look(); }, LOOK_MS);   // it may do so later
  }

  destroy() {
    this.endHearing();
    this.runs.disconnect();
    clearInterval(this.timer);
    QUEUE.disconnect(this);
  }

  update(component) {
    this.component = component;
    this.root.hidden = true;
    this.root.dataset.server = component.data.server;
    nameProject();
    if (this.place !== component.data.place) { this.place = component.data.place; foldSidebar(); }
    if (component.data.beside_tree) { QUEUE.disconnect(this); return; }
    this.post.configure(component.data.decisions_url);
    QUEUE.connect(this, () => this.post.send(), () => this.render());
    this.render();
  }

  // Beside a tree, the tree asks often enough.
  async look() {
    const { beside_tree: besideTree, health_url: url } = this.component.data;
    if (besideTree || document.hidden) return;
    await askServer(url);        // which server it is is told to the page
  }

  render() {
    this.root.hidden = QUEUE.status === "saved";
    this.root.textContent = `From before: ${queueSentence(QUEUE)}`;
    this.root.dataset.pending = String(QUEUE.size);
  }
}

// Writes the project into the address of this tab and into the links to other pages, so that a
// reload, a bookmark and another tab find it. It makes no new entry in the history of the tab.
function nameProject() {
  if (PAGE.project === null) return;
  const address = new URL(location.href);
  if (!address.searchParams.has("project")) {
    address.searchParams.set("project", String(PAGE.project));
    history.replaceState(history.state, "", address);
  }
  for (const link of document.querySelectorAll("[data-testid=stTopNavLink], [data-testid=stPageLink-NavLink]")) {
    const target = new URL(link.href);
    target.searchParams.set("project", String(PAGE.project));
    link.href = target.href;
  }
}

export default function mount(component) {
  return mountOnce(INSTANCES, component, (mounted) => new Sender(mounted));
}
