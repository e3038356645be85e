/**
 * The forms of a cache, by name, as options of `cluster.informer`. A build that does not know an option of a form is not
 * measured in it.
 */
export const FORMS: Readonly<Record<string, object>> = {
  default: {},
  packed: { hold: 'packed' },
  select: {
    hold: 'packed',
    select: ['spec.nodeName', 'status.phase', 'metadata.labels', 'metadata.annotations'],
  },
  omit: { omit: ['metadata.managedFields'] },
  JSON: { wire: 'json' },
  'packed JSON': { hold: 'packed', wire: 'json' },
};

/** Forms that are measured on every version of Node; the others on the newest. */
export const MAIN_FORMS: readonly string[] = ['default', 'packed'];
