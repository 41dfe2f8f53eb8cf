// Delivers, on a page without a tree, what an earlier tab could not store any more; and has the
// whole page drawn anew once an answer comes from another server than the one that drew it.

const QUEUE = new DecisionQueue();
const INSTANCES = new WeakMap();

class Courier {
  constructor(component) {
    this.root = component.parentElement.querySelector(".courier");
    this.post = new DecisionPost(QUEUE, () => ({}), (answer) => {
      QUEUE.settle(answer.receipts, answer.problem);
      this.render();
    });
    this.onServer = ({ detail }) => {
      if (detail !== this.component.data.server) this.component.setTriggerValue("wake", Date.now());
    };
    document.addEventListener("strata:server", this.onServer);
  }

  destroy() {
    document.removeEventListener("strata:server", this.onServer);
    QUEUE.disconnect();
  }

  update(component) {
    this.component = component;
    this.root.hidden = true;
    if (component.data.beside_tree) { QUEUE.disconnect(); return; }
    this.post.configure(component.data.decisions_url);
    QUEUE.connect(() => this.post.send(), () => this.render());
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
