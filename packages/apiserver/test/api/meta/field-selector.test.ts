import { describe, expect, test } from 'vitest';
import { fieldLookup } from '../../../src/api/meta/field-lookup.ts';
import { parseFieldSelector } from '../../../src/api/meta/field-selector.ts';
import type { ApiObject } from '../../../src/core/kube-object.ts';
import { StatusError } from '../../../src/core/status-error.ts';
import { fixtures } from '../../rig/fixtures.ts';

const { field: recorded } = fixtures<{ field: [resource: string, text: string, message: string | null][] }>(
  'selectors.fixtures.json',
  import.meta,
);

function lookup(path: string): ReturnType<typeof fieldLookup> {
  const [group, resource] = path.split('/') as [string, string];
  return fieldLookup({ group, resource, namespaced: true, custom: false });
}

function refusal(text: string, fields: ReturnType<typeof fieldLookup>): StatusError['status'] | undefined {
  try {
    parseFieldSelector(text, fields);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
}

describe('which field selectors are valid', () => {
  test.each(recorded)('%s: the same verdict as on a real server for %j', (path, text, message) => {
    expect(refusal(text, lookup(path))?.message ?? null).toBe(message);
  });

  test('a custom resource is selected by name, by namespace if it is namespaced, and by its selectable fields', () => {
    const scoped = (namespaced: boolean): ReturnType<typeof fieldLookup> =>
      fieldLookup({ group: 'x.io', resource: 'widgets', namespaced, custom: true }, ['.spec.color']);
    expect(refusal('metadata.name=a,metadata.namespace=b,spec.color=red', scoped(true))).toBeUndefined();
    expect(refusal('metadata.namespace=b', scoped(false))?.message).toBe(
      'field label not supported: metadata.namespace',
    );
    expect(refusal('spec.size=1', scoped(true))).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: 'field label not supported: spec.size',
    });
  });
});

describe('what a field selector matches', () => {
  const pod: ApiObject = {
    metadata: { name: 'p', namespace: 'n' },
    spec: { nodeName: 'node', restartPolicy: 'Always' },
    status: { phase: 'Running', podIP: '10.0.0.1' },
  };
  const matches = (path: string, text: string, object: ApiObject): boolean =>
    parseFieldSelector(text, lookup(path)).matches(object);

  test.each([
    ['', true],
    ['metadata.name=p', true],
    ['metadata.name==p', true],
    ['metadata.name!=p', false],
    ['metadata.name=q', false],
    ['status.phase=Running,spec.nodeName=node', true],
    ['status.phase=Running,spec.nodeName!=node', false],
    ['spec.host=node', true],
    ['status.podIP=10.0.0.1', true],
    ['status.podIPs=10.0.0.1', false],
    ['spec.hostNetwork=false', true],
    ['status.nominatedNodeName=', true],
    ['metadata.name=p\\,q', false],
  ])('pod: %j', (text, isMatch) => {
    expect(matches('/pods', text, pod)).toBe(isMatch);
  });

  test('absent numbers and booleans count as zero and false', () => {
    expect(matches('batch/jobs', 'status.successful=0', {})).toBe(true);
    expect(matches('batch/jobs', 'status.successful=2', { status: { succeeded: 2 } })).toBe(true);
    expect(matches('/nodes', 'spec.unschedulable=false', {})).toBe(true);
    expect(matches('/nodes', 'spec.unschedulable=true', { spec: { unschedulable: true } })).toBe(true);
    expect(matches('/replicationcontrollers', 'status.replicas=0', {})).toBe(true);
  });

  test('both kinds of Event are selected by the object they are about, each by its own field names', () => {
    expect(matches('/events', 'involvedObject.name=p', { involvedObject: { name: 'p' } })).toBe(true);
    expect(matches('events.k8s.io/events', 'regarding.name=p', { regarding: { name: 'p' } })).toBe(true);
    expect(matches('/events', 'source=kubelet', { source: { component: 'kubelet' } })).toBe(true);
    expect(matches('/events', 'source=x', { source: {}, reportingComponent: 'x' })).toBe(true);
  });

  test('an escaped value is compared without its escapes', () => {
    expect(matches('/secrets', 'type=a\\,b\\=c\\\\', { type: 'a,b=c\\' })).toBe(true);
  });

  test('a selectable field of a custom resource is compared as text', () => {
    const fields = fieldLookup({ group: 'x.io', resource: 'widgets', namespaced: true, custom: true }, [
      '.spec.size',
      '.spec.isOn',
    ]);
    expect(parseFieldSelector('spec.size=3,spec.isOn=true', fields).matches({ spec: { size: 3, isOn: true } })).toBe(
      true,
    );
    expect(parseFieldSelector('spec.size!=3', fields).matches({})).toBe(true);
  });
});

describe('which name and namespace a field selector requires', () => {
  const parsed = (text: string): ReturnType<typeof parseFieldSelector> => parseFieldSelector(text, lookup('/pods'));

  test('those of its equality requirements', () => {
    expect(parsed('metadata.name=a,metadata.namespace=b')).toMatchObject({ name: 'a', namespace: 'b' });
    expect(parsed('metadata.name!=a')).toMatchObject({ name: undefined, namespace: undefined });
  });

  test('none for a value that cannot be a name', () => {
    for (const text of ['metadata.name=', 'metadata.name=a/b', 'metadata.name=..']) {
      expect(parsed(text).name).toBeUndefined();
    }
  });

  test('its text does not depend on order and spelling', () => {
    expect(parsed('spec.nodeName==n,metadata.name=a\\,b').text).toBe('metadata.name=a\\,b,spec.nodeName=n');
    expect(parsed(',').everything).toBe(true);
  });
});
