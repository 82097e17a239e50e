// Elements of the page. Text from a trace is only ever a text node or an attribute's value.
import {cut, plain} from './format.js';

/**
 * @param {string} tag
 * @param {Object<string, *>} attributes `onclick` and its like are listeners; true is an attribute
 *   without a value, false and null none
 * @param {...(Node|string|null)} children
 */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) {
      node.setAttribute(name, value === true ? '' : value);
    }
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/**
 * A name from the trace: cut where it is long, whole when pointed at.
 * @param {string} text @param {number} most
 */
export function named(text, most = 64) {
  const shown = cut(text, most);
  const whole = plain(text.slice(0, 2000));
  return element('bdi', {class: 'name', title: shown === whole ? null : whole}, shown);
}

/** @param {string} words @param {function()} act @param {string} label for screen readers */
export const button = (words, act, label = null) =>
  element('button', {type: 'button', onclick: act, 'aria-label': label}, words);

/** @param {string} id */
export const byId = (id) => document.getElementById(id);

/** Shows a section's content, or leaves the section out. @param {string} id @param {?Node} content */
export function fill(id, content) {
  const section = byId(id);
  if (content) section.append(content);
  else section.hidden = true;
}

/** Brings an element into view and lets the keyboard go on from there. @param {Element} node */
export function reveal(node) {
  if (!node.hasAttribute('tabindex')) node.setAttribute('tabindex', '-1');
  node.focus({preventScroll: true});
  node.scrollIntoView({block: 'nearest'});
}
