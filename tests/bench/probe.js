// Runs in the page before everything else, and times what a person would see.
// Times are in ms of performance.now(), whose zero is the start of the navigation.

(() => {
  const probe = { keys: [], events: [], painted: null, confirmed: [], searches: [], marks: [] };
  window.strataProbe = probe;

  function* roots() {
    yield document;
    for (const host of document.querySelectorAll("*")) if (host.shadowRoot) yield host.shadowRoot;
  }
  probe.all = (selector) => [...roots()].flatMap((root) => [...root.querySelectorAll(selector)]);
  probe.one = (selector) => probe.all(selector)[0] || null;

  // A task that is posted in a frame's callback runs after that frame was laid out and painted.
  probe.afterPaint = (done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => done(performance.now());
    channel.port2.postMessage(null);
  });

  probe.watchFirstPaint = (selector, atLeast) => {
    const look = () => {
      if (probe.all(selector).length >= atLeast) probe.afterPaint((now) => { probe.painted = now; });
      else requestAnimationFrame(look);
    };
    look();
  };

  // From the key, as the browser stamped it, to the paint after its handlers, and to the moment
  // when nothing is pending any more: the decision is in the store, and its answer on the page.
  // Registered before the page's own listener, which keeps a key that it has used from all others.
  let asked = null;
  addEventListener("keydown", (event) => {
    const pressed = event.timeStamp;
    asked = pressed;
    probe.afterPaint((now) => probe.keys.push(now - pressed));
  }, true);

  probe.watchKeys = (workbench) => {
    asked = null;
    new MutationObserver(() => {
      if (workbench.dataset.pending !== "0" || asked === null) return;
      probe.confirmed.push(performance.now() - asked);
      asked = null;
    }).observe(workbench, { attributes: true, attributeFilter: ["data-pending"] });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === "keydown") probe.events.push(entry.duration);
    }).observe({ type: "event", durationThreshold: 16 });
  };

  // From a key in the search box to the paint of what is found for the letters that stand in it.
  probe.watchSearch = (input, list) => {
    let pressed = 0;
    let waiting = null;
    input.addEventListener("keydown", (event) => { pressed = event.timeStamp; }, true);
    input.addEventListener("input", () => {
      const [since, letters] = [pressed, input.value.trim()];
      if (waiting) waiting.disconnect();
      waiting = new MutationObserver((_, observer) => {
        if (list.dataset.query !== letters) return;
        observer.disconnect();
        probe.afterPaint((now) => probe.searches.push([letters, now - since]));
      });
      waiting.observe(list, { attributes: true, attributeFilter: ["data-query"] });
    });
  };

  // From a selection or a look on the tree to the paint of its evidence in the text.
  probe.watchMarks = (reader) => {
    let since = null;
    document.addEventListener("strata:select", () => { since = performance.now(); }, true);
    new MutationObserver(() => {
      if (since === null) return;
      const selected = since;
      since = null;
      probe.afterPaint((now) => probe.marks.push(now - selected));
    }).observe(reader, { attributes: true, attributeFilter: ["data-marks"] });
  };
})();
