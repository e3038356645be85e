import { requireOption } from '../../core/errors.ts';
import type { ListOptions, WatchOptions } from '../../core/object/list-options.ts';
import {
  FieldSelector,
  type FieldSelectorLike,
  LabelSelector,
  type LabelSelectorLike,
} from '../../core/selector/selector.ts';
import type { Query } from './url.ts';

/** The part of a collection a call is about. */
export interface Selection {
  /** @default all namespaces; empty means the same */
  readonly namespace?: string;
  /** A text, a map of labels or a LabelSelector. @default everything */
  readonly labels?: LabelSelectorLike;
  /** A text, a map of fields or a FieldSelector. @default everything */
  readonly fields?: FieldSelectorLike;
  /** The API's name for `labels`. */
  readonly labelSelector?: LabelSelectorLike;
  /** The API's name for `fields`. */
  readonly fieldSelector?: FieldSelectorLike;
}

/** The options of a list or a watch, with selectors in any form. */
export type Narrowed<O extends ListOptions> = Omit<O, 'labelSelector' | 'fieldSelector'> & Omit<Selection, 'namespace'>;

/** Selectors as text, for the query. Throws INVALID_OPTION. */
export function listSelectorQuery(selection: Selection): Pick<ListOptions, 'labelSelector' | 'fieldSelector'> {
  const { labels, fields, labelSelector = labels, fieldSelector = fields } = selection;
  // With both names given, one would be ignored silently.
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
 * The query of a list or a watch. Empty values are left out, except for `timeoutSeconds` and `sendInitialEvents`, where
 * 0 and false have a meaning.
 */
export function listQuery(options: Narrowed<WatchOptions>): Query {
  const { resourceVersion, resourceVersionMatch, limit, timeoutSeconds, sendInitialEvents } = options;
  const { labelSelector, fieldSelector } = listSelectorQuery(options);
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
