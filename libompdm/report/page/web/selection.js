// What the reader looks at: chosen in one view, shown in all.

/**
 * Rows of the report's tables, null where none is chosen; `recording` is the one whose time is
 * shown.
 */
export const selection = {recording: 0, loop: null, finding: null, directive: null, variable: null};

const listeners = [];

/** @param {function(Object)} listener called with what changed */
export function onSelect(listener) {
  listeners.push(listener);
}

/** @param {Object} change */
export function select(change) {
  const changed = Object.entries(change).filter(([key, value]) => selection[key] !== value);
  if (changed.length === 0) return;
  Object.assign(selection, change);
  for (const listener of listeners) listener(Object.fromEntries(changed));
}
