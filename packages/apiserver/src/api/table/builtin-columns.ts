import { rawColumns } from '../../core/data.ts';
import type { ColumnDefinition } from './table-types.ts';

/** The columns that a real server shows for a built-in resource; undefined for resources that cannot be listed. */
export function builtinTableColumns(
  group: string,
  version: string,
  resource: string,
): readonly ColumnDefinition[] | undefined {
  const path = [group, version, resource].filter((part) => part !== '').join('/');
  return rawColumns()[path]?.map(([name, type, format, priority]) => ({
    name,
    type,
    format,
    description: '',
    priority,
  }));
}
