import type { ApiObject } from '../../core/kube-object.ts';
import type { Resource } from '../schema/resource.ts';
import { builtinTableColumns } from './builtin-columns.ts';
import { accessCells } from './cells/access-cells.ts';
import { ageCell, type Cells, nameCell } from './cells/cells.ts';
import { clusterCells } from './cells/cluster-cells.ts';
import { coreCells } from './cells/core-cells.ts';
import { networkCells } from './cells/network-cells.ts';
import { podCellConditions } from './cells/pod-cells.ts';
import { storageCells } from './cells/storage-cells.ts';
import { workloadCells } from './cells/workload-cells.ts';
import { type PrinterColumn, printerColumnsFormat } from './printer-columns.ts';
import type { ColumnDefinition, TableFormat } from './table-types.ts';

export type { PrinterColumn } from './printer-columns.ts';

const CELLS: ReadonlyMap<string, Cells> = new Map<string, Cells>(
  Object.entries({
    ...coreCells,
    ...workloadCells,
    ...networkCells,
    ...storageCells,
    ...accessCells,
    ...clusterCells,
  }),
);

/** The format of kinds without a printer of their own, for which the server shows a time, not an age. */
const GENERIC: TableFormat = {
  columns: [tableFormatColumn('Name', 'string', 'name'), tableFormatColumn('Created At', 'date')],
  isNullWhenEmpty: true,
  cells: (object) => [nameCell(object), object.metadata?.creationTimestamp ?? '0001-01-01T00:00:00Z'],
};

/** The format of a Scale of a built-in kind. */
export const scaleFormat: TableFormat = {
  columns: [
    tableFormatColumn('Name', 'string'),
    tableFormatColumn('Desired', 'integer'),
    tableFormatColumn('Available', 'integer'),
    tableFormatColumn('Age', 'string'),
  ],
  cells: (object, now) => [
    nameCell(object),
    tableFormatReplicas(object, 'spec'),
    tableFormatReplicas(object, 'status'),
    ageCell(object, now),
  ],
};

function tableFormatReplicas(scale: ApiObject, part: 'spec' | 'status'): number {
  const { replicas = 0 } = (scale[part] ?? {}) as { replicas?: number };
  return replicas;
}

/**
 * Shows the objects of a resource as rows of a Table, as `kubectl get` prints them: the server's own columns
 * and cells for built-in resources, `printerColumns` for custom resources.
 *
 * Column descriptions are left empty: no client prints them.
 */
export function tableFormat(
  resource: Pick<Resource, 'group' | 'version' | 'resource' | 'custom'>,
  printerColumns?: readonly PrinterColumn[],
): TableFormat {
  if (resource.custom) return printerColumnsFormat(printerColumns);
  const key = `${resource.group}/${resource.resource}`;
  const cells = CELLS.get(key);
  const columns = builtinTableColumns(resource.group, resource.version, resource.resource);
  if (cells === undefined || columns === undefined) return GENERIC;
  return key === '/pods' ? { columns, cells, conditions: podCellConditions } : { columns, cells };
}

function tableFormatColumn(columnName: string, type: string, format = ''): ColumnDefinition {
  return { name: columnName, type, format, description: '', priority: 0 };
}
