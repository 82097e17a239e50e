// The view "Tables": directives, variables and loops with all their figures, to be sorted and
// searched.
import {button, element, named} from './dom.js';
import {bytesText, countText, counted, plain, timeText} from './format.js';
import {directiveName, loopName, page, recordingName, recordingOfRow, report, variableName} from './data.js';
import {select} from './selection.js';

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
    choose: (at) => select({directive: at, finding: null, variable: null}),
  },
  {
    id: 'variables', table: 'variables', title: 'Variables', rows: report.variables,
    columns: [{title: 'Variable', of: (_, at) => variableName(at)},
      {title: 'Mapped at', of: (row) => (row.file ? `${row.file.split('/').pop()}:${row.line}` : '')},
      bytes('Size', 'bytes'), bytes('HtoD', 'HtoD_bytes'), count('Copies', 'HtoD_count'), bytes('DtoH', 'DtoH_bytes'),
      count('Copies', 'DtoH_count'), time('Transfers', 'transfer_ns')],
    choose: (at) => select({variable: at, finding: null, directive: null}),
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
  const known = rows.filter((each) => key(each) !== null);
  known.sort((a, b) => {
    const [left, right] = [key(a), key(b)];
    const order = typeof left === 'string' ? (left < right ? -1 : Number(left > right)) : left - right;
    return (down ? -order : order) || a.at - b.at;
  });
  return known.concat(rows.filter((each) => key(each) === null));
}

class Table {
  constructor({id, table, title, rows, columns, choose}) {
    this.columns = [...recordingColumns(table), ...columns];
    this.choose = choose;
    this.rows = rows.map((row, at) => ({
      row, at, text: this.columns.map((column) => column.of(row, at)).filter((value) => typeof value === 'string').join(' ').toLowerCase(),
    }));
    this.sorted = {column: null, down: true};
    this.search = '';
    this.all = false;
    this.body = element('tbody');
    this.heads = this.columns.map((column) => element('th', {scope: 'col', 'aria-sort': 'none', class: column.show ? null : 'text'},
      button(column.title, () => this.sortBy(column))));
    this.more = button('', () => {
      this.all = true;
      this.fill();
    });
    const search = element('input', {type: 'search', id: `search-${id}`, placeholder: 'Search', 'aria-label': `Search ${title}`,
      oninput: (event) => {
        this.search = event.target.value.toLowerCase();
        this.fill();
      }});
    this.node = element('div', {class: 'table', id: `table-${id}`},
      element('div', {class: 'table-head'}, element('h3', {}, title), rows.length > 5 ? search : null),
      element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title},
        element('table', {}, element('thead', {}, element('tr', {}, ...this.heads)), this.body)), this.more);
    this.fill();
  }

  /** @param {Column} column a second time turns the order round */
  sortBy(column) {
    this.sorted = {column, down: this.sorted.column === column ? !this.sorted.down : column.show !== undefined};
    this.heads.forEach((head, at) => head.setAttribute('aria-sort',
      this.columns[at] !== column ? 'none' : this.sorted.down ? 'descending' : 'ascending'));
    this.fill();
  }

  fill() {
    let rows = this.rows.filter(({text}) => text.includes(this.search));
    if (this.sorted.column) rows = inOrder(rows, this.sorted.column, this.sorted.down);
    const shown = this.all ? rows : rows.slice(0, ROWS_SHOWN);
    this.body.replaceChildren(...shown.map((each) => this.line(each)));
    this.more.hidden = shown.length === rows.length;
    this.more.textContent = `Show all ${counted(rows.length, 'row', 'rows')}`;
  }

  line({row, at}) {
    return element('tr', {}, ...this.columns.map((column, number) => {
      const value = column.of(row, at);
      if (typeof value === 'string') {
        const first = this.columns.findIndex((each) => each.show === undefined) === number;
        if (!first) return element('td', {class: 'text'}, named(value, report.traces.length > 1 ? 28 : 36));
        const link = button('', () => this.choose(at));
        link.append(named(value, 64));
        return element('th', {scope: 'row', class: 'text'}, link);
      }
      const text = value === null || value === undefined ? '–' : column.show(value);
      return element('td', {class: value === 0 ? 'zero' : null}, text);
    }));
  }
}

/** Tables with rows. */
export const tables = () => TABLES.filter(({rows}) => rows.length > 0).map((table) => new Table(table).node);
