import { expect, test } from 'vitest';
import { type Reply, type ReviewBody, WebhookServer } from '../../../../packages/apiserver/test/rig/webhook-server.ts';
import type { Crd, Fixture, Space } from '../../rig/fixture.ts';
import type { Answer } from '../../rig/target.ts';

interface Converted {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, unknown>; [field: string]: unknown };
  spec?: Record<string, string>;
}

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly Converted[];
  };
}

/** v1 has `hostPort`, v2 has `host` and `port`. */
function converted(object: Converted, to: string): Converted {
  const spec = object.spec ?? {};
  const [host = '', port = ''] = (spec['hostPort'] ?? '').split(':');
  const next = to.endsWith('/v2') ? { host, port } : { hostPort: `${spec['host']}:${spec['port']}` };
  return { ...object, apiVersion: to, spec: next };
}

const reviewOf = (body: ReviewBody): Review => body as unknown as Review;

/** A response to a conversion review. */
const respond = ({ apiVersion, kind, request }: Review, response: object = {}): object => ({
  apiVersion,
  kind,
  response: {
    uid: request.uid,
    result: { status: 'Success' },
    convertedObjects: request.objects.map((object) => converted(object, request.desiredAPIVersion)),
    ...response,
  },
});

const version = (name: string, storage: boolean, fields: readonly string[]): object => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])) },
      },
    },
  },
});

function definition(group: string, server: WebhookServer, more: object = {}): Crd {
  const clientConfig = { url: server.url('/convert'), caBundle: server.caBundle };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `crontabs.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList' },
      versions: [version('v1', true, ['hostPort']), version('v2', false, ['host', 'port'])],
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'], ...more } },
    },
  } as unknown as Crd;
}

/** Versions of custom resources that a webhook converts. */
export function conversionCases(fixture: () => Fixture): void {
  const paths = (group: string, space: Space) => (v: string, name: string) =>
    `/apis/${group}/${v}/namespaces/${space.name}/crontabs${name === '' ? '' : `/${name}`}`;
  const crontab = (group: string, v: string, name: string, spec: object): object => ({
    apiVersion: `${group}/${v}`,
    kind: 'CronTab',
    metadata: { name },
    spec,
  });

  test('point (aa): a webhook converts what is read, listed, watched and written in another version', async () => {
    const f = fixture();
    const space = await f.space();
    const group = `z.${f.group}`;
    await using server = await WebhookServer.start((body) => {
      const review = reviewOf(body);
      const objects = review.request.objects.map((object) => {
        const next = converted(object, review.request.desiredAPIVersion);
        // Other metadata than labels and annotations cannot be changed.
        return { ...next, metadata: { ...next.metadata, labels: { via: 'webhook' }, generation: 99, finalizers: ['example.com/x'] } }; // prettier-ignore
      });
      return respond(review, { convertedObjects: objects });
    });
    await f.createCrd(definition(group, server));
    const at = paths(group, space);
    const made = await f.create(at('v2', ''), crontab(group, 'v2', 'a', { host: 'h', port: '1' }));
    expect(made).toMatchObject({ apiVersion: `${group}/v2`, spec: { host: 'h', port: '1' } });
    expect(made.metadata).toMatchObject({ generation: 1, labels: { via: 'webhook' } });
    expect(made.metadata).not.toHaveProperty('finalizers');
    expect((await f.get(at('v1', 'a'))).spec).toEqual({ hostPort: 'h:1' });
    await f.create(at('v1', ''), crontab(group, 'v1', 'b', { hostPort: 'i:2' }));
    const list = await f.get(at('v2', ''));
    expect(list.items.map(({ apiVersion, spec }) => [apiVersion, spec])).toEqual([
      [`${group}/v2`, { host: 'h', port: '1' }],
      [`${group}/v2`, { host: 'i', port: '2' }],
    ]);
    using watch = await f.http.watch(at('v2', ''), { resourceVersion: list.metadata.resourceVersion });
    expect((await f.merge(at('v1', 'b'), { spec: { hostPort: 'i:3' } })).spec).toEqual({ hostPort: 'i:3' });
    expect((await f.merge(at('v2', 'b'), { spec: { port: '4' } })).spec).toEqual({ host: 'i', port: '4' });
    await f.remove(at('v1', 'b'));
    const seen = [await watch.next(), await watch.next(), await watch.next()];
    expect(seen.map((event) => [event?.type, event?.object.spec])).toEqual([
      ['MODIFIED', { host: 'i', port: '3' }],
      ['MODIFIED', { host: 'i', port: '4' }],
      ['DELETED', { host: 'i', port: '4' }],
    ]);
    const [first] = server.reviews;
    expect(first?.path).toMatch(/^\/convert(\?timeout=30s)?$/);
    expect(first?.review).toMatchObject({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      request: { uid: expect.any(String), objects: [{ kind: 'CronTab' }] },
    });
  });

  test('point (aa2): responses of a conversion webhook that are not accepted fail the request', async () => {
    const f = fixture();
    const space = await f.space();
    const group = `z2.${f.group}`;
    const changed = (review: Review, change: (object: Converted) => object): object =>
      respond(review, {
        convertedObjects: review.request.objects.map((one) => change(converted(one, review.request.desiredAPIVersion))),
      });
    const meta = (review: Review, more: object): object =>
      changed(review, (object) => ({ ...object, metadata: { ...object.metadata, ...more } }));
    const replies = new Map<string, (review: Review) => Reply>([
      ['failed', (review) => respond(review, { result: { status: 'Failed', message: 'not today' } })],
      ['silent', (review) => respond(review, { result: { status: 'Failed' } })],
      ['no-response', ({ apiVersion, kind }) => ({ apiVersion, kind })],
      ['uid', (review) => respond(review, { uid: 'x' })],
      ['type', (review) => ({ ...respond(review), kind: 'Other' })],
      ['none', (review) => respond(review, { convertedObjects: [] })],
      ['version', (review) => changed(review, (object) => ({ ...object, apiVersion: 'other/v7' }))],
      ['kind', (review) => changed(review, (object) => ({ ...object, kind: 'Other' }))],
      ['name', (review) => meta(review, { name: 'other' })],
      ['namespace', (review) => meta(review, { namespace: 'other' })],
      ['object-uid', (review) => meta(review, { uid: 'other' })],
      ['label', (review) => meta(review, { labels: { a: 1 } })],
      ['labels', (review) => meta(review, { labels: ['a'] })],
      ['status', () => ({ status: 500, text: 'broken' })],
    ]);
    await using server = await WebhookServer.start((body) => {
      const review = reviewOf(body);
      const reply = replies.get(review.request.objects[0]?.metadata.name ?? '');
      return reply?.(review) ?? respond(review);
    });
    await f.createCrd(definition(group, server));
    const at = paths(group, space);
    const failure = async (name: string): Promise<Answer> => {
      await f.create(at('v1', ''), crontab(group, 'v1', name, { hostPort: 'h:1' }));
      return f.http.ask('GET', at('v2', name));
    };
    const subject = `conversion webhook for ${group}/v1, Kind=CronTab`;
    const expected: Readonly<Record<string, string | RegExp>> = {
      failed: `${subject} failed: not today`,
      silent: `${subject} failed: response.result.status was 'Failed', not 'Success'`,
      'no-response': `${subject} failed: no response provided`,
      uid: /failed: expected response\.uid="[0-9a-f-]{36}", got "x"$/,
      none: `${subject} returned 0 objects, expected 1`,
      version: `${subject} returned invalid object at index 0: invalid groupVersion (expected ${group}/v2, received other/v7)`,
      kind: `${subject} returned invalid object at index 0: invalid kind (expected CronTab, received Other)`,
      name: `${subject} returned invalid object: must have the same name: name != other`,
      namespace: `${subject} returned invalid object: must have the same namespace: ${space.name} != other`,
      'object-uid': /returned invalid object: must have the same UID: [0-9a-f-]{36} != other$/,
      label: `${subject} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
      labels: `${subject} returned invalid metadata: invalid metadata.labels of type []interface {} in converted object`,
      status: `${subject} failed: an error on the server ("broken") has prevented the request from succeeding`,
    };
    for (const [name, message] of Object.entries(expected)) {
      const answer = await failure(name);
      expect(answer.status, name).toBe(500);
      if (typeof message === 'string') expect(answer.body.message, name).toContain(message);
      else expect(answer.body.message, name).toMatch(message);
    }
    expect((await failure('type')).status).toBe(500);
    // A write fails the same way, and nothing is stored.
    const write = await f.http.ask('POST', at('v2', ''), { body: crontab(group, 'v2', 'failed2', { host: 'h', port: '1' }) }); // prettier-ignore
    expect(write.status).toBe(201);
    replies.set('failed3', replies.get('failed') as (review: Review) => Reply);
    const refused = await f.http.ask('POST', at('v2', ''), { body: crontab(group, 'v2', 'failed3', { host: 'h', port: '1' }) }); // prettier-ignore
    expect(refused.status).toBe(500);
    expect(refused.body.message).toContain(`conversion webhook for ${group}/v2, Kind=CronTab failed: not today`);
    expect((await f.http.ask('GET', at('v1', 'failed3'))).status).toBe(404);
  });
}
