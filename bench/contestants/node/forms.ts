/**
 * The forms of a cache, by name, as options of `cluster.informer`. A build that does not know an option of a form is not
 * measured in it.
 */
export const FORMS: Readonly<Record<string, object>> = {
  default: {},
  plain: { hold: 'plain' },
  packed: { hold: 'packed' },
  'packed JSON': { hold: 'packed', wire: 'json' },
  select: { select: ['spec.nodeName', 'status.phase', 'metadata.labels', 'metadata.annotations'] },
  JSON: { wire: 'json' },
  'without managedFields': { transform: withoutManagedFields },
};

function withoutManagedFields(object: { metadata?: { managedFields?: unknown } }): object {
  if (object.metadata !== undefined) delete object.metadata.managedFields;
  return object;
}
