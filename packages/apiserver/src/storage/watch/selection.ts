import type { ApiObject } from '../../core/kube-object.ts';
import type { Change, ChangeType } from '../store/stored-history.ts';
import type { StoredRecord } from '../store/stored-record.ts';

/** Selects objects by labels or fields. `api/meta` parses selectors from requests. */
interface Selector<T> {
  /** A text that is equal for selectors that select the same objects. */
  readonly text: string;
  readonly everything: boolean;
  matches(value: T): boolean;
}

type LabelMatcher = Selector<StoredRecord['labels']>;

interface FieldMatcher extends Selector<ApiObject> {
  /** The name, if only one can match. */
  readonly name: string | undefined;
}

export interface SelectionParts {
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly labels: LabelMatcher;
  readonly fields: FieldMatcher;
  /** Returns the object of a record, for field selectors. */
  readonly object: (record: StoredRecord) => ApiObject;
  /** Ignores changes up to this revision: a watch from the future. @default 0 */
  readonly after?: number;
}

/** Selects the objects of a collection that a list or a watch shows. */
export class Selection {
  readonly namespace: string;
  /** The name, if the field selector allows only one. */
  readonly name: string | undefined;
  /** A text that is equal if the same objects are selected: watchers with the same one share their work. */
  readonly text: string;
  /** Whether it selects by place only; then remaining items are counted without reading the objects. */
  readonly everything: boolean;
  readonly #labels: LabelMatcher | undefined;
  readonly #fields: FieldMatcher | undefined;
  readonly #object: (record: StoredRecord) => ApiObject;
  readonly #after: number;

  constructor({ namespace, labels, fields, object, after = 0 }: SelectionParts) {
    this.namespace = namespace;
    this.name = fields.name;
    this.everything = labels.everything && fields.everything;
    this.text = `${namespace}\n${labels.text}\n${fields.text}\n${after}`;
    this.#labels = labels.everything ? undefined : labels;
    this.#fields = fields.everything ? undefined : fields;
    this.#object = object;
    this.#after = after;
  }

  /** Whether objects are selected by fields. */
  get hasFields(): boolean {
    return this.#fields !== undefined;
  }

  matches(record: StoredRecord): boolean {
    if (this.namespace !== '' && record.namespace !== this.namespace) return false;
    if (this.name !== undefined && record.name !== this.name) return false;
    if (this.#labels !== undefined && !this.#labels.matches(record.labels)) return false;
    return this.#fields === undefined || this.#fields.matches(this.#object(record));
  }

  /**
   * A change in the view of this selection: an object that begins to match is added, one that stops matching
   * is deleted, in its last matching state. Undefined if the change is outside the selection.
   */
  view({
    revision,
    record,
    previous,
  }: Change): { readonly type: ChangeType; readonly record: StoredRecord } | undefined {
    if (revision <= this.#after) return undefined;
    const was = previous !== undefined && this.matches(previous) ? previous : undefined;
    if (record !== undefined && this.matches(record)) return { type: was === undefined ? 'ADDED' : 'MODIFIED', record };
    return was === undefined ? undefined : { type: 'DELETED', record: was };
  }
}
