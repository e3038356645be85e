import type { Json, JsonObject } from '../../core/json.ts';
import { Work } from '../../core/work.ts';
import { ageCellSince, ageCellInstant } from './cells/age-cell.ts';
import { nameCell } from './cells/cells.ts';
import { compileTableJsonPath, type JsonPath } from './table-json-path.ts';
import type { ColumnDefinition, TableFormat } from './table-types.ts';

/** `additionalPrinterColumns` of a custom resource's version. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

interface Column {
  readonly definition: ColumnDefinition;
  readonly find: JsonPath;
}

const DEFAULT_DESCRIPTION = 'Custom resource definition column (in JSONPath format):';

/**
 * Maximum number of values that the columns of one row read together; the cells after that are empty. A usual
 * column reads five, but `..` reads everything, and paths with many `..` read everything many times.
 */
const MAX_ROW_STEPS = 10_000;

/** The column of versions that define none. */
const AGE: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** The rows of a custom resource: the name, then the columns of its definition. */
export function printerColumnsFormat(printerColumns: readonly PrinterColumn[] = []): TableFormat {
  const columns = compilePrinterColumns(printerColumns.length === 0 ? [AGE] : printerColumns);
  return {
    columns: [
      { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
      ...columns.map(({ definition }) => definition),
    ],
    cells: (object, now) => {
      const work = new Work('the row', MAX_ROW_STEPS);
      const value = (find: JsonPath): Json | undefined => firstPrinterValue(object as JsonObject, find, work);
      return [
        nameCell(object),
        ...columns.map(({ definition, find }) => printerColumnCell(value(find), definition.type, now)),
      ];
    },
  };
}

/** Columns up to the first with an invalid path: the server stops there as well. */
function compilePrinterColumns(printerColumns: readonly PrinterColumn[]): Column[] {
  const columns: Column[] = [];
  for (const column of printerColumns) {
    const { type, jsonPath, format = '', priority = 0 } = column;
    const description = column === AGE ? '' : column.description || `${DEFAULT_DESCRIPTION} ${jsonPath}`;
    try {
      const find = compileTableJsonPath(jsonPath);
      columns.push({ definition: { name: column.name, type, format, description, priority }, find });
    } catch {
      return columns;
    }
  }
  return columns;
}

function printerColumnCell(value: Json | undefined, type: string, now: number): Json {
  if (value === undefined) return null;
  switch (type) {
    case 'string':
      return printerColumnText(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      if (typeof value !== 'string') return null;
      // An empty time, and the word null, are times that are not set.
      if (value === '' || value === 'null') return '<unknown>';
      return ageCellInstant(value) === undefined ? '<invalid>' : ageCellSince(value, now);
    default:
      return null;
  }
}

/** The first value at a path. A path that does not fit this object, or takes too long, shows nothing. */
function firstPrinterValue(object: JsonObject, find: JsonPath, work: Work): Json | undefined {
  try {
    return work.spent > MAX_ROW_STEPS ? undefined : find(object, work)[0];
  } catch {
    return undefined;
  }
}

function printerColumnText(value: Json): string {
  if (value === null) return '<no value>';
  return typeof value === 'object' ? printerColumnJson(JSON.stringify(value, sortForPrinterColumn)) : String(value);
}

/** JSON as the server's encoder writes it, with HTML characters escaped. */
const printerColumnJson = (json: string): string =>
  json.replace(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

function sortForPrinterColumn(_key: string, value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
