import { KubeError, requireOption } from '../../core/errors.ts';
import type { ListOptions, WatchOptions } from '../../core/object/list-options.ts';
import {
  FieldSelector,
  type FieldSelectorLike,
  LabelSelector,
  type LabelSelectorLike,
} from '../../core/selector/selector.ts';
import type { Query } from './url.ts';

/** What narrows a collection. */
export interface Selection {
  /** Empty or absent: all namespaces. */
  readonly namespace?: string;
  /** A text, a map of labels or a LabelSelector. @default everything */
  readonly labels?: LabelSelectorLike;
  /** A text, a map of fields or a FieldSelector. @default everything */
  readonly fields?: FieldSelectorLike;
  /** The API's own word for `labels`. */
  readonly labelSelector?: LabelSelectorLike;
  /** The API's own word for `fields`. */
  readonly fieldSelector?: FieldSelectorLike;
}

/** The options of a list or a watch, with selectors in any form. */
export type Narrowed<O extends ListOptions> = Omit<O, 'labelSelector' | 'fieldSelector'> & Omit<Selection, 'namespace'>;

/** Selectors as the server reads them. Throws INVALID_OPTION. */
export function selectors(selection: Selection): Pick<ListOptions, 'labelSelector' | 'fieldSelector'> {
  const { labels, fields, labelSelector = labels, fieldSelector = fields } = selection;
  // Two words for one thing: one of them would be ignored.
  requireOption(
    labels === undefined || labels === labelSelector,
    'labels',
    'only one of labels and labelSelector',
    'both',
  );
  requireOption(
    fields === undefined || fields === fieldSelector,
    'fields',
    'only one of fields and fieldSelector',
    'both',
  );
  return {
    ...(labelSelector === undefined ? {} : { labelSelector: LabelSelector.of(labelSelector).toString() }),
    ...(fieldSelector === undefined ? {} : { fieldSelector: FieldSelector.of(fieldSelector).toString() }),
  };
}

/**
 * The query of a list or a watch. Empty values mean "not asked" and are left out, except for `timeoutSeconds` and
 * `sendInitialEvents`: there 0 and false say something.
 */
export function listQuery(options: Narrowed<WatchOptions>): Query {
  const { resourceVersion, resourceVersionMatch, limit, timeoutSeconds, sendInitialEvents } = options;
  const { labelSelector, fieldSelector } = selectors(options);
  if (limit !== undefined)
    requireOption(Number.isSafeInteger(limit) && limit >= 0, 'limit', 'a whole number >= 0', limit);
  return {
    labelSelector: labelSelector || undefined,
    fieldSelector: fieldSelector || undefined,
    resourceVersion: resourceVersion || undefined,
    resourceVersionMatch: resourceVersionMatch || undefined,
    limit: limit || undefined,
    continue: options.continue || undefined,
    timeoutSeconds,
    allowWatchBookmarks: options.allowWatchBookmarks || undefined,
    sendInitialEvents,
  };
}

/** Who changes fields, as the server keeps it: printable, up to 128 bytes. Throws INVALID_OPTION. */
export function checkFieldManager(fieldManager: string | undefined): void {
  if (fieldManager === undefined) return;
  const length = typeof fieldManager === 'string' ? new TextEncoder().encode(fieldManager).length : 0;
  if (length > 0 && length <= 128 && !/[\p{C}\p{Zl}\p{Zp}]/u.test(fieldManager)) return;
  throw new KubeError('INVALID_OPTION', 'fieldManager: expected 1 to 128 printable characters');
}
