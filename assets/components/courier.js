// Where no document is open: delivers decisions that an earlier tab could not store any more.

const QUEUE = new DecisionQueue();
const INSTANCES = new WeakMap();

class Courier {
  constructor(component) {
    this.root = component.parentElement.querySelector(".courier");
  }

  destroy() {
    QUEUE.disconnect();
  }

  update(component) {
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
