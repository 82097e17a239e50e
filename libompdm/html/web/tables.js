// The view "Findings": a card each, linked to the places where it can be seen.
import {
  UNLESS, button, byId, bytesText, countText, counted, element, named, plain, reveal, scrolling, sumOf, tableHead, timeText,
} from './basics.js';
import {
  directiveName, knowsTransfers, loopName, onSelect, page, pick, recordingName, recordingOfRow, report, rowOfId, select,
  selection, variableName,
} from './data.js';

/** Code as it is to be written; a hunk's lines begin with a mark: what comes, what goes. @param {{code: string[], hunk: boolean}} line */
function codeOf({code, hunk}) {
  if (!hunk) return element('pre', {tabindex: '0'}, code.map(plain).join('\n'));
  const marks = {'+': 'ins', '-': 'del'};
  return element('pre', {tabindex: '0', class: 'hunk'}, ...code.map((each) =>
    element(marks[each[0]] ?? 'span', {}, `${plain(each)}\n`)));
}

/** Steps in a list: sentences and code. @param {Object[]} steps */
function listOf(steps) {
  return element('ol', {class: 'advice'}, ...steps.map(({lines}) => element('li', {}, ...lines.map((line) =>
    line.code ? codeOf(line) : element('p', {}, plain(line.text))))));
}

/** All that is to be done is in sight; behind a fold is what to look for in the program. @param {Object[]} steps */
function adviceSection(finding, steps) {
  if (steps.length === 0) return finding.runs ? [element('p', {}, plain(finding.runs.words))] : [];
  const [todo, checks] = [steps.filter(({check}) => !check), steps.filter(({check}) => check)];
  return [todo.length > 0 ? listOf(todo) : null, checks.length > 0
    ? element('details', {}, element('summary', {}, 'What to look for in the program'), listOf(checks)) : null];
}

function costOf(finding) {
  const {one, many} = page.patterns[finding.pattern] ?? {one: 'instance', many: 'instances'};
  const parts = [counted(finding.count, one, many)];
  if (finding.wasted_bytes > 0) parts.push(bytesText(finding.wasted_bytes));
  if (finding.wasted_ns === null) parts.push('time not known');
  else if (finding.wasted_ns > 0) parts.push(timeText(finding.wasted_ns));
  return parts.join(' · ');
}

/** Buttons to where a finding can be seen. */
function linksOf(finding, at, go) {
  const links = [];
  const add = (words, label, act) => links.push(button(words, act, label));
  if (finding.count > 0) add('Timeline', `Finding ${at + 1} in the timeline`, () => go('timeline', {finding: at, variable: null, directive: null}));
  const loop = rowOfId('iterations', finding.loop_ids[0], recordingOfRow('findings', at));
  if (loop !== undefined) add('Passes', `Finding ${at + 1} in the passes of its loop`, () => go('passes', {loop, finding: at, variable: null, directive: null}));
  for (const id of finding.variable_ids.slice(0, 4)) {
    const variable = rowOfId('variables', id, recordingOfRow('findings', at));
    if (variable !== undefined) add(named(variableName(variable), 24), `Variable of finding ${at + 1}`, () => go('variables', {variable, finding: null, directive: null}));
  }
  if (finding.line > 0 && page.sources.some((each) => each.file === finding.file)) {
    add('Source', `Finding ${at + 1} in the source`, () => go('source', {finding: at}, finding));
  }
  return element('p', {class: 'links'}, 'Seen in: ', ...links);
}

function cardOf(finding, at, go) {
  const words = page.patterns[finding.pattern]?.words ?? finding.pattern;
  const unless = finding.unless.map((each) => UNLESS[each] ?? each);
  const who = recordingName(recordingOfRow('findings', at));
  return element('article', {class: `card ${finding.confidence}`, id: `finding-${at}`, 'aria-labelledby': `finding-${at}-title`},
    element('header', {},
      element('span', {class: 'number', 'aria-hidden': 'true'}, String(at + 1)),
      element('h3', {id: `finding-${at}-title`},
        named(page.names.findings[at] || 'unknown place', 60), finding.variable ? ', ' : '',
        finding.variable ? named(finding.variable, 60) : null, element('span', {class: 'pattern'}, words)),
      element('span', {class: 'badge'}, finding.confidence)),
    element('p', {class: 'cost'}, costOf(finding), who ? ` · ${who}` : '',
      finding.memory_bytes > 0 ? ` · keeps ${bytesText(finding.memory_bytes)} on the device` : ''),
    ...adviceSection(finding, page.advice[at]),
    unless.length > 0 ? element('p', {class: 'unless'}, element('strong', {}, 'unless '), unless.join(', or ')) : null,
    linksOf(finding, at, go),
    element('details', {}, element('summary', {}, 'Evidence'), element('p', {}, plain(finding.evidence)),
      finding.runs && finding.advice !== '' ? element('p', {}, plain(finding.runs.words)) : null));
}

/** Of a data clause: what it did not do is in sight, since nothing has been measured. */
function clauseCardOf(clause, at, go) {
  const who = recordingName(recordingOfRow('mapping', at));
  const title = `clause-${at}-title`;
  const directive = rowOfId('directives', clause.directive_ids[0], recordingOfRow('mapping', at));
  const links = [];
  if (directive !== undefined) {
    links.push(button('Timeline', () => go('timeline', {finding: null, variable: null, directive}), `Data clause ${at + 1} in the timeline`));
  }
  if (clause.line > 0 && page.sources.some((each) => each.file === clause.file)) {
    links.push(button('Source', () => go('source', {}, clause), `Data clause ${at + 1} in the source`));
  }
  return element('article', {class: `card ${clause.confidence}`, 'aria-labelledby': title},
    element('header', {},
      element('h3', {id: title}, named(page.names.mapping[at] || 'unknown place', 60), clause.item ? ', ' : '',
        clause.item ? named(clause.item, 60) : null,
        element('span', {class: 'pattern'}, page.patterns[clause.pattern]?.words ?? clause.pattern)),
      element('span', {class: 'badge'}, clause.stake.replace('_', ' ')), element('span', {class: 'badge'}, clause.confidence)),
    who ? element('p', {class: 'cost'}, who) : null,
    element('p', {}, `${plain(clause.evidence)}.`),
    ...adviceSection(clause, page.clause_advice[at]),
    links.length > 0 ? element('p', {class: 'links'}, 'Seen in: ', ...links) : null);
}

const CARDS_SHOWN = 10;

/** Cards, the first of them in sight. @param {Element[]} cards @param {string} words for "Show all 12 findings" */
function cardsOf(cards, words) {
  const list = element('div', {class: 'cards'}, ...cards.slice(0, CARDS_SHOWN));
  if (cards.length <= CARDS_SHOWN) return [list];
  const more = button(`Show all ${cards.length} ${words}`, () => {
    list.append(...cards.slice(CARDS_SHOWN));
    more.remove();
    reveal(cards[CARDS_SHOWN]);
  });
  return [list, more];
}

/** Null where each data clause did what it says. @param {function(string, Object, Object)} go */
export function clauses(go) {
  const cards = report.mapping.map((clause, at) => clauseCardOf(clause, at, go));
  return cards.length > 0 ? element('div', {}, ...cardsOf(cards, 'of them')) : null;
}

/** @param {function(string, Object, Object)} go to a view, with what is chosen there, and the row whose line is shown */
export function findings(go) {
  const withheld = report.withheld.findings;
  if (report.findings.length === 0) {
    return [element('p', {}, report.directives.length === 0 || !knowsTransfers
      ? 'Too little was recorded to say what was needless.' : withheld > 0
      ? `Nothing worth a line: ${counted(withheld, 'finding', 'findings')} would save less than a hundredth each.`
      : plain(page.none_found))];
  }
  const cards = report.findings.map((finding, at) => cardOf(finding, at, go));
  onSelect(() => cards.forEach((card, at) => card.classList.toggle('chosen', selection.finding === at)));
  return [...cardsOf(cards, 'findings'),
    withheld > 0 ? element('p', {class: 'note'}, `Not told: ${counted(withheld, 'finding', 'findings')} that would save less than a hundredth each.`) : null,
  ];
}

// The view "Source": the program's own lines around each directive, what they cost in the margin,
// and what findings would write there.

/** What findings write before a line of a file, or take out. @param {string} file */
function changesIn(file) {
  const added = [];
  const removed = new Map();
  report.findings.forEach((finding, at) => {
    for (const hunk of (finding.patch?.hunks ?? []).filter((each) => each.file === file)) {
      let line = hunk.line;
      for (const text of hunk.lines) {
        if (text[0] === '+') added.push({code: text.slice(1), line, finding: at});
        else if (text[0] === '-') removed.set(line++, at);
        else line++;
      }
    }
  });
  return {added, removed};
}

const rowId = (file, line) => `line-${page.sources.findIndex((each) => each.file === file)}-${line}`;

/** A row for a line that a finding writes. */
function insertedRow({code, finding}) {
  return element('tr', {class: 'inserted'}, element('td', {class: 'line'}, '+'),
    element('td', {class: 'cost', colspan: '3'}, `finding ${finding + 1}`),
    element('td', {}, element('code', {}, plain(code.replace(/\t/g, '    ')))));
}

/** @param {{file: string, first_line: number, lines: string[]}} excerpt */
function excerptTable({file, first_line: first, lines}) {
  const {added, removed} = changesIn(file);
  const rows = lines.flatMap((text, at) => {
    const line = first + at;
    const isHere = (row) => row.file === file && row.line === line;
    const directives = report.directives.filter(isHere);
    const loop = report.iterations.findLast(isHere);
    const [htod, dtoh, transfers, kernels] = ['HtoD_bytes', 'DtoH_bytes', 'transfer_ns', 'kernel_ns'].map((key) => sumOf(directives, key));
    const time = timeText(transfers === null ? null : transfers + kernels);
    const kind = removed.has(line) ? 'removed' : directives.length > 0 ? 'directive' : loop ? 'loop' : null;
    return [...added.filter((each) => each.line === line).map(insertedRow),
      element('tr', {id: rowId(file, line), class: kind},
        element('td', {class: 'line'}, String(line)),
        element('td', {class: 'cost htod'}, htod > 0 ? bytesText(htod) : ''),
        element('td', {class: 'cost dtoh'}, dtoh > 0 ? bytesText(dtoh) : ''),
        element('td', {class: 'cost'}, directives.length > 0 ? time : loop ? `${loop.count} passes` : ''),
        element('td', {}, element('code', {}, plain(text.replace(/\t/g, '    ')))))];
  });
  return scrolling(`Lines of ${file}`, element('table', {class: 'source'}, element('caption', {}, plain(file).slice(-200)),
    tableHead(['Line', 'HtoD', 'DtoH', 'Time', 'Source']), element('tbody', {}, ...rows)));
}

/** Null where no source is at hand. */
export function source() {
  if (page.sources.length === 0) return null;
  onSelect(() => {
    for (const row of document.querySelectorAll('tr.chosen')) row.classList.remove('chosen');
    const of = selection.finding !== null ? report.findings[selection.finding]
      : selection.directive !== null ? report.directives[selection.directive] : null;
    if (of) byId(rowId(of.file, of.line))?.classList.add('chosen');
  });
  return element('div', {}, ...page.sources.map(excerptTable));
}

/** Goes to the line of a row of the report. @param {{file: string, line: number}} row */
export function revealLine({file, line}) {
  const row = byId(rowId(file, line));
  if (row) reveal(row);
}

// The view "Tables": directives, variables and loops with all their figures, to be sorted and
// searched.

const ROWS_SHOWN = 25;

/**
 * @typedef {Object} Column
 * @property {string} title
 * @property {function(Object, number): *} of what rows are sorted by: a number, null, or text
 * @property {?function(number): string} show a number; text is a name
 */

const bytes = (title, key) => ({title, of: (row) => row[key], show: bytesText});
const count = (title, key) => ({title, of: (row) => row[key], show: countText});
const time = (title, key) => ({title, of: (row) => row[key], show: timeText});

/** The recording's column, where there are several. @param {string} table */
const recordingColumns = (table) => (report.traces.length < 2 ? []
  : [{title: 'Of', of: (_, at) => recordingOfRow(table, at), show: recordingName}]);

const TABLES = [
  {
    id: 'directives', table: 'directives', title: 'Directives', rows: report.directives,
    columns: [{title: 'Directive', of: (_, at) => directiveName(at)}, {title: 'In', of: (row) => row.function},
      count('Count', 'count'), bytes('HtoD', 'HtoD_bytes'), count('Copies', 'HtoD_count'), bytes('DtoH', 'DtoH_bytes'),
      count('Copies', 'DtoH_count'), count('Allocs', 'alloc_count'), time('Transfers', 'transfer_ns'),
      time('Kernels', 'kernel_ns'), time('Time', 'time_ns')],
    choose: (at) => pick({directive: at}),
  },
  {
    id: 'variables', table: 'variables', title: 'Variables', rows: report.variables,
    columns: [{title: 'Variable', of: (_, at) => variableName(at)},
      {title: 'Mapped at', of: (row) => (row.file ? `${row.file.split('/').pop()}:${row.line}` : '')},
      bytes('Size', 'bytes'), bytes('HtoD', 'HtoD_bytes'), count('Copies', 'HtoD_count'), bytes('DtoH', 'DtoH_bytes'),
      count('Copies', 'DtoH_count'), time('Transfers', 'transfer_ns')],
    choose: (at) => pick({variable: at}),
  },
  {
    id: 'loops', table: 'iterations', title: 'Loops, a pass after the first', rows: report.iterations,
    columns: [{title: 'Loop', of: (_, at) => loopName(at)}, count('Passes', 'count'), bytes('HtoD', 'HtoD_bytes'),
      bytes('DtoH', 'DtoH_bytes'), bytes('Unchanged', 'invariant_bytes'), time('Transfers', 'transfer_ns'),
      time('Kernels', 'kernel_ns'), time('Wall', 'wall_ns'),
      {title: '1st wall', of: (row) => row.first.wall_ns, show: timeText}],
    choose: (at) => select({loop: at}),
  },
];

/** In order of a column; rows without a value come last. */
function inOrder(rows, column, down) {
  const key = (each) => column.of(each.row, each.at);
  return [...rows].sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    return (left === null) - (right === null) || (down ? -1 : 1) * ((left > right) - (left < right)) || a.at - b.at;
  });
}

function tableView({id, table, title, rows: all, columns: own, choose}) {
  const columns = [...recordingColumns(table), ...own];
  const naming = columns.findIndex((column) => column.show === undefined);
  const rows = all.map((row, at) => ({
    row, at, text: columns.map((column) => column.of(row, at)).filter((value) => typeof value === 'string').join(' ').toLowerCase(),
  }));
  const body = element('tbody');
  let sorted = {column: null, down: true};
  let searched = '';
  let most = ROWS_SHOWN;
  const cell = (column, number, {row, at}) => {
    const value = column.of(row, at);
    if (number === naming) return element('th', {scope: 'row', class: 'text'}, button(named(value, 64), () => choose(at)));
    if (typeof value === 'string') return element('td', {class: 'text'}, named(value, report.traces.length > 1 ? 28 : 36));
    return element('td', {class: value === 0 ? 'zero' : null}, value === null || value === undefined ? '–' : column.show(value));
  };
  const update = () => {
    const found = rows.filter(({text}) => text.includes(searched));
    const shown = (sorted.column ? inOrder(found, sorted.column, sorted.down) : found).slice(0, most);
    body.replaceChildren(...shown.map((each) => element('tr', {}, ...columns.map((column, number) => cell(column, number, each)))));
    more.hidden = shown.length === found.length;
    more.textContent = `Show all ${counted(found.length, 'row', 'rows')}`;
  };
  const more = button('', () => {
    most = Infinity;
    update();
  });
  // A second time turns the order round.
  const sortBy = (column) => {
    sorted = {column, down: sorted.column === column ? !sorted.down : column.show !== undefined};
    heads.forEach((head, at) => head.setAttribute('aria-sort',
      columns[at] !== column ? 'none' : sorted.down ? 'descending' : 'ascending'));
    update();
  };
  const heads = columns.map((column) => element('th', {scope: 'col', 'aria-sort': 'none', class: column.show ? null : 'text'},
    button(column.title, () => sortBy(column))));
  const search = element('input', {type: 'search', id: `search-${id}`, placeholder: 'Search', 'aria-label': `Search ${title}`,
    oninput: (event) => {
      searched = event.target.value.toLowerCase();
      update();
    }});
  update();
  return element('div', {class: 'table', id: `table-${id}`},
    element('div', {class: 'table-head'}, element('h3', {}, title), rows.length > 5 ? search : null),
    scrolling(title, element('table', {}, element('thead', {}, element('tr', {}, ...heads)), body)), more);
}

/** Tables with rows. */
export const tables = () => TABLES.filter(({rows}) => rows.length > 0).map(tableView);
