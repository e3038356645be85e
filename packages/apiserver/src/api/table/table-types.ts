import type { Json } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';

/** A column of a Table, as on the wire. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** Shows the objects of one resource as rows. */
export interface TableFormat {
  readonly columns: readonly ColumnDefinition[];
  /** One cell per column. `now` is milliseconds since 1970, for ages. */
  cells(object: ApiObject, now: number): Json[];
  /** Whether `rows` is null, not an empty list, when there are no objects. */
  readonly isNullWhenEmpty?: boolean;
  /** `conditions` of the row, for the kinds whose rows have any. */
  conditions?(object: ApiObject): Json[] | undefined;
}
