// Dragging a row to another place, by mouse, pen or finger; the keyboard has keys of its own.

const DRAG_STARTS_PX = 4;

export class Reorder {
  // onOrder(ids): the rows were put into this order.
  constructor(list, onOrder) {
    this.list = list;
    this.onOrder = onOrder;
    this.moved = null;
    list.addEventListener("pointerdown", (event) => this.onDown(event));
    list.addEventListener("pointermove", (event) => this.onMove(event));
    for (const name of ["pointerup", "pointercancel"]) list.addEventListener(name, (event) => this.onUp(event));
  }

  get isMoving() { return Boolean(this.moved && this.moved.started); }

  onDown(event) {
    const item = event.target.closest("li[data-place]");
    if (!item || event.button !== 0 || event.target.closest("button, input")) return;
    if (event.pointerType === "touch" && !event.target.closest(".grip")) return;   // a finger scrolls
    this.moved = { item, y: event.clientY, started: false, before: this.ids() };
  }

  onMove(event) {
    const { moved } = this;
    if (!moved) return;
    if (!moved.started) {
      if (Math.abs(event.clientY - moved.y) < DRAG_STARTS_PX) return;
      moved.started = true;
      moved.item.classList.add("moving");
      this.list.setPointerCapture(event.pointerId);
    }
    event.preventDefault();
    this.placeAt(event.clientY);
  }

  // Before the first row whose middle is below the pointer.
  placeAt(y) {
    const { item } = this.moved;
    const others = this.items().filter((one) => one !== item);
    const next = others.find((one) => { const box = one.getBoundingClientRect(); return y < box.top + box.height / 2; });
    const behind = next || (others.length ? others.at(-1).nextElementSibling : null);
    if (behind !== item && item.nextElementSibling !== behind) this.list.insertBefore(item, behind);
    item.scrollIntoView({ block: "nearest" });
  }

  onUp(event) {
    const { moved } = this;
    this.moved = null;
    if (!moved || !moved.started) return;
    moved.item.classList.remove("moving");
    moved.item.focus({ preventScroll: true });     // a row that is moved in the page loses it
    this.onOrder(event.type === "pointercancel" ? moved.before : this.ids());
  }

  items() { return [...this.list.querySelectorAll("li[data-place]")]; }
  ids() { return this.items().map((one) => one.dataset.concept); }
}
