import { describe, expect, test } from 'vitest';
import { builtinResources } from '../../../src/api/kinds/builtin-resources.ts';
import { type PrinterColumn, tableFormat } from '../../../src/api/table/table-format.ts';
import type { Json } from '../../../src/core/json.ts';
import type { ApiObject } from '../../../src/core/kube-object.ts';
import { fixtures } from '../../rig/fixtures.ts';

interface Row {
  readonly resource: string;
  readonly now: number;
  readonly object: ApiObject;
  readonly cells: readonly Json[];
  readonly conditions?: readonly Json[];
}

interface Printed {
  readonly columns: readonly PrinterColumn[] | null;
  readonly names: readonly string[];
  readonly rows: readonly Omit<Row, 'resource'>[];
}

const rows = fixtures<Row[]>('rows.fixtures.json', import.meta).map((row) => ({
  ...row,
  name: row.object.metadata?.name,
}));
const printed = fixtures<Printed[]>('printer-columns.fixtures.json', import.meta);

function formatOf(path: string): ReturnType<typeof tableFormat> {
  const [group, version, resource] = path.split('/') as [string, string, string];
  return tableFormat({ group, version, resource, custom: false });
}

const widgets = { group: 'x.io', version: 'v1', resource: 'widgets', custom: true } as const;

describe('rows of built-in kinds', () => {
  test.each(rows)('$resource $name is shown as the real server shows it', (row) => {
    const format = formatOf(row.resource);
    expect(format.cells(row.object, row.now)).toEqual(row.cells);
    expect(format.conditions?.(row.object)).toEqual(row.conditions);
  });

  test('there is a recorded row of every kind that can be listed', () => {
    const seen = new Set(rows.map(({ resource }) => resource));
    const missing = builtinResources()
      .filter(({ verbs }) => verbs.includes('list'))
      .map(({ group, version, resource }) => `${group}/${version}/${resource}`)
      .filter((path) => !seen.has(path));
    // ComponentStatus is deprecated: no server has objects of it.
    expect(missing.filter((path) => path !== '/v1/componentstatuses')).toEqual([]);
  });

  test('there is a cell for each column, except for one that the real server has too many', () => {
    const uneven = rows.filter(({ resource, cells }) => formatOf(resource).columns.length !== cells.length);
    expect(new Set(uneven.map(({ resource }) => resource))).toEqual(new Set(['networking.k8s.io/v1/ipaddresses']));
  });

  test('an empty object of any kind has a row', () => {
    for (const { group, version, resource } of builtinResources()) {
      const format = tableFormat({ group, version, resource, custom: false });
      expect(format.cells({}, 0).length).toBeGreaterThanOrEqual(format.columns.length);
    }
  });

  test('an unknown kind has the columns Name and Created At', () => {
    const format = formatOf('x.io/v1/things');
    expect(format.columns.map(({ name, type, format: form }) => [name, type, form])).toEqual([
      ['Name', 'string', 'name'],
      ['Created At', 'date', ''],
    ]);
    const created = { metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' } };
    expect(format.cells(created, 0)).toEqual(['a', '2026-01-01T00:00:00Z']);
  });
});

describe('rows of custom resources', () => {
  const cases = printed.flatMap(({ columns, rows: objects }) =>
    objects.map((row) => ({
      columns: columns ?? undefined,
      count: columns?.length ?? 0,
      name: row.object.metadata?.name,
      row,
    })),
  );

  test.each(cases)('with $count columns, $name is shown as the real server shows it', ({ columns, row }) => {
    const format = tableFormat(widgets, columns);
    const names = format.columns.map(({ name }) => name);
    const paired = (cells: readonly Json[]): [string | undefined, Json][] =>
      cells.map((cell, index) => [names[index], cell]);
    expect(paired(format.cells(row.object, row.now))).toEqual(paired(row.cells));
  });

  test.each(printed)('columns are $names', ({ columns, names }) => {
    expect(tableFormat(widgets, columns ?? undefined).columns.map(({ name }) => name)).toEqual(['Name', ...names]);
  });

  test('a column keeps its format, description and priority, and has a description in any case', () => {
    const columns = [
      { name: 'A', type: 'integer', jsonPath: '.a', format: 'int32', description: 'an a', priority: 1 },
      { name: 'B', type: 'string', jsonPath: '.b' },
    ];
    expect(tableFormat(widgets, columns).columns.slice(1)).toEqual([
      { name: 'A', type: 'integer', format: 'int32', description: 'an a', priority: 1 },
      {
        name: 'B',
        type: 'string',
        format: '',
        description: 'Custom resource definition column (in JSONPath format): .b',
        priority: 0,
      },
    ]);
  });
});
