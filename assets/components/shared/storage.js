// What this browser keeps. Its storage may be switched off or full: then it lasts as long as the page.

export function readStored(storage, key) {
  try { return window[storage].getItem(key); } catch (error) { return null; }
}

export function writeStored(storage, key, value) {
  try { window[storage].setItem(key, String(value)); } catch (error) { console.warn("strata:", error); }
}

export function removeStored(storage, key) {
  try { window[storage].removeItem(key); } catch (error) { console.warn("strata:", error); }
}

export function storedKeys(storage, prefix) {
  try { return Object.keys(window[storage]).filter((key) => key.startsWith(prefix)); } catch (error) { return []; }
}

// What was written as JSON; null where it is none.
export function readJson(storage, key) {
  try { return JSON.parse(readStored(storage, key)); } catch (error) { return null; }
}

// A habit, kept for all tabs of this browser.
export function readPreference(key) { return readStored("localStorage", key); }
export function writePreference(key, value) { writeStored("localStorage", key, value); }
