// The view "Source": the program's own lines around each directive, what they cost in the margin,
// and what findings would write there.
import {element} from './dom.js';
import {bytesText, plain, timeText} from './format.js';
import {page, report} from './data.js';
import {selection, onSelect} from './selection.js';
import {reveal} from './dom.js';

/** Figures of directives by file and line. */
function costsByPlace() {
  const costs = new Map();
  for (const row of report.directives) {
    const key = `${row.file}\n${row.line}`;
    const sum = costs.get(key) ?? {htod: 0, dtoh: 0, time: 0, timed: true};
    sum.htod += row.HtoD_bytes;
    sum.dtoh += row.DtoH_bytes;
    if (row.transfer_ns === null) sum.timed = false;
    else sum.time += row.transfer_ns + row.kernel_ns;
    costs.set(key, sum);
  }
  return costs;
}

/** Loops by file and line: their passes. */
function loopsByPlace() {
  const loops = new Map();
  for (const row of report.iterations) if (row.line > 0) loops.set(`${row.file}\n${row.line}`, row);
  return loops;
}

/**
 * What findings insert before or after a line: a sentence that names the place, and the code. Only
 * where the place is a line of the source.
 */
function insertions() {
  const lines = new Map();
  report.findings.forEach((finding, at) => {
    for (const edit of finding.edits) {
      const place = edit.places[0];
      if (edit.kind !== 'insert' || edit.when !== 'always' || edit.pragmas.length === 0 || place.line <= 0) continue;
      const key = `${place.file}\n${place.line}`;
      if (!lines.has(key)) lines.set(key, []);
      const after = edit.side === 'after';
      const what = edit.of === 'loop' ? 'loop' : 'construct';
      for (const pragma of edit.pragmas) {
        lines.get(key).push({code: pragma.split('\n'), where: `${after ? 'after' : 'before'} this ${what}:`, after, loop: edit.of === 'loop', finding: at});
      }
    }
  });
  return lines;
}

const rowId = (file, line) => `line-${page.sources.findIndex((each) => each.file === file)}-${line}`;

/** A row for the place, and one for each line of the code. */
function insertedRows({code, where, finding}, indent) {
  const row = (mark, words, content) => element('tr', {class: 'inserted'}, element('td', {class: 'line'}, mark),
    element('td', {class: 'cost', colspan: '3'}, words), element('td', {}, content));
  return [row('', `finding ${finding + 1}`, element('em', {}, where)),
    ...code.map((line) => row('+', '', element('code', {}, `${indent}${plain(line)}`)))];
}

/** The line that closes what begins at `at`, by its indentation; -1 where it is not shown. */
function closingLine(lines, at) {
  const indent = lines[at].match(/^\s*/)[0];
  return lines.findIndex((line, i) => i > at && line.startsWith(`${indent}}`) && line.trim() === '}');
}

/** @param {{file: string, first_line: number, lines: string[]}} excerpt */
function excerptTable(excerpt, costs, loops, inserted) {
  const body = element('tbody');
  const later = new Map();  // by position in the excerpt: what stands after that line
  excerpt.lines.forEach((text, at) => {
    const line = excerpt.first_line + at;
    const key = `${excerpt.file}\n${line}`;
    const cost = costs.get(key);
    const loop = loops.get(key);
    const indent = text.match(/^\s*/)[0].replace(/\t/g, '  ');
    const adds = inserted.get(key) ?? [];
    for (const each of adds.filter(({after}) => !after)) body.append(...insertedRows(each, indent));
    body.append(element('tr', {id: rowId(excerpt.file, line), class: cost ? 'directive' : loop ? 'loop' : null},
      element('td', {class: 'line'}, String(line)),
      element('td', {class: 'cost htod'}, cost && cost.htod > 0 ? bytesText(cost.htod) : ''),
      element('td', {class: 'cost dtoh'}, cost && cost.dtoh > 0 ? bytesText(cost.dtoh) : ''),
      element('td', {class: 'cost'}, cost ? timeText(cost.timed ? cost.time : null) : loop ? `${loop.count} passes` : ''),
      element('td', {}, element('code', {}, plain(text.replace(/\t/g, '    '))))));
    for (const each of adds.filter(({after}) => after)) {
      const end = each.loop ? closingLine(excerpt.lines, at) : -1;
      if (end < 0) body.append(...insertedRows(each, indent));
      else later.set(end, [...(later.get(end) ?? []), each]);
    }
    for (const each of later.get(at) ?? []) body.append(...insertedRows(each, indent));
  });
  return element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Lines of ${excerpt.file}`},
    element('table', {class: 'source'},
      element('caption', {}, plain(excerpt.file).slice(-200)),
      element('thead', {}, element('tr', {}, ...['Line', 'HtoD', 'DtoH', 'Time', 'Source']
        .map((title) => element('th', {scope: 'col'}, title)))), body));
}

/** Null where no source is at hand. */
export function source() {
  if (page.sources.length === 0) return null;
  const [costs, loops, inserted] = [costsByPlace(), loopsByPlace(), insertions()];
  const tables = page.sources.map((excerpt) => excerptTable(excerpt, costs, loops, inserted));
  onSelect(() => {
    for (const row of document.querySelectorAll('tr.chosen')) row.classList.remove('chosen');
    const of = selection.finding !== null ? report.findings[selection.finding]
      : selection.directive !== null ? report.directives[selection.directive] : null;
    if (of && of.line > 0) document.getElementById(rowId(of.file, of.line))?.classList.add('chosen');
  });
  return element('div', {}, ...tables);
}

/** Goes to the line of a finding. @param {number} finding */
export function revealLine(finding) {
  const {file, line} = report.findings[finding];
  const row = document.getElementById(rowId(file, line));
  if (row) reveal(row);
}
