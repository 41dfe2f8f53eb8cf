// Delivers decisions from outside the tree: what an earlier tab could not store any more, and what
// the tree sends in vain, since a server that was started again does not know its part of the page.

const QUEUE = new DecisionQueue();
const INSTANCES = new WeakMap();

class Courier {
  constructor(component) {
    this.root = component.parentElement.querySelector(".courier");
    this.onOverdue = (event) => this.component.setTriggerValue("operations", event.detail);
    document.addEventListener("strata:overdue", this.onOverdue);
  }

  destroy() {
    document.removeEventListener("strata:overdue", this.onOverdue);
    QUEUE.disconnect();
  }

  update(component) {
    this.component = component;
    if (component.data.beside_tree) { QUEUE.disconnect(); this.root.hidden = true; return; }
    QUEUE.connect((batches) => component.setTriggerValue("operations", batches), () => this.render());
    QUEUE.settle(component.data.receipts, component.data.problem);
    this.render();
  }

  render() {
    this.root.hidden = QUEUE.status === "saved";
    this.root.textContent = `From before: ${queueSentence(QUEUE)}`;
    this.root.dataset.pending = String(QUEUE.size);
  }
}

export default function (component) {
  return mountOnce(INSTANCES, component, (mounted) => new Courier(mounted));
}
