import { expect, test } from 'vitest';
import { expectFailure } from '../rig/failures.ts';
import { type Fixture, ok } from '../rig/fixture.ts';
import { fieldNumbers } from '../rig/protobuf.ts';
import { until } from '../rig/target.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

interface Resource {
  readonly name: string;
  readonly singularName: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly group?: string;
  readonly version?: string;
}

interface Group {
  readonly name: string;
  readonly versions: readonly { readonly groupVersion: string; readonly version: string }[];
  readonly preferredVersion: { readonly groupVersion: string; readonly version: string };
}

interface Discovered {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly {
    readonly version: string;
    readonly resources: readonly {
      readonly resource: string;
      readonly responseKind: { readonly kind: string };
      readonly scope: string;
      readonly verbs: readonly string[];
      readonly subresources?: readonly { readonly subresource: string }[];
    }[];
  }[];
}

/** Cases 97 to 99: discovery, OpenAPI and the version. */
export function discoveryCases(fixture: () => Fixture): void {
  test('case 97: groups, versions and resources are listed, and only the listed verbs work', async () => {
    const f = fixture();
    expect(await f.get('/api')).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const { kind, apiVersion, groups } = (await f.get('/apis')) as unknown as Record<string, unknown>;
    expect({ kind, apiVersion }).toEqual({ kind: 'APIGroupList', apiVersion: 'v1' });
    const apps = (groups as Group[]).find(({ name }) => name === 'apps');
    expect(apps).toEqual({
      name: 'apps',
      versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    });
    expect(await f.get('/apis/apps')).toEqual({ kind: 'APIGroup', apiVersion: 'v1', ...apps });
    const core = (await f.get('/api/v1')) as unknown as { kind: string; groupVersion: string; resources: Resource[] };
    expect(core).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
    const resource = (name: string) => core.resources.find((one) => one.name === name);
    expect(resource('configmaps')).toMatchObject({
      singularName: 'configmap',
      kind: 'ConfigMap',
      namespaced: true,
      verbs: ALL_VERBS,
      shortNames: ['cm'],
    });
    expect(resource('pods/status')).toMatchObject({ singularName: '', kind: 'Pod', verbs: ['get', 'patch', 'update'] });
    expect(resource('namespaces')?.namespaced).toBe(false);
    expect(resource('namespaces')?.verbs).toEqual(ALL_VERBS.filter((verb) => verb !== 'deletecollection'));
    expectFailure(await f.http.ask('DELETE', '/api/v1/namespaces'), 405, 'MethodNotAllowed', { details: {} });
    const own = (await f.get(`/apis/${f.group}/v1`)) as unknown as { apiVersion: string; resources: Resource[] };
    expect(own).toMatchObject({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${f.group}/v1` });
    const widgets = own.resources.filter(({ name }) => name.startsWith('widgets'));
    expect(widgets.map(({ name }) => name).sort()).toEqual(['widgets', 'widgets/scale', 'widgets/status']);
    expect([...(widgets.find(({ name }) => name === 'widgets')?.verbs ?? [])].sort()).toEqual(ALL_VERBS);
    expect(widgets.find(({ name }) => name === 'widgets/scale')).toMatchObject({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
    });
  });

  test('case 97b: aggregated discovery is one document, and a matching ETag gets 304', async () => {
    const f = fixture();
    for (const path of ['/api', '/apis']) {
      const answer = await f.http.ask('GET', path, { headers: { accept: `${AGGREGATED},application/json` } });
      expect(answer.headers['content-type']).toBe(AGGREGATED);
      expect(answer.headers['vary']).toBe('Accept');
      const { etag } = answer.headers;
      expect(etag).toMatch(/^"[0-9A-F]{128}"$/);
      const list = ok(answer);
      expect(list).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
      const items = list.items as unknown as Discovered[];
      const [group, plural, expected] =
        path === '/api' ? [undefined, 'pods', 'Pod'] : ['apps', 'deployments', 'Deployment'];
      const found = items
        .find(({ metadata }) => metadata.name === group)
        ?.versions.find(({ version }) => version === 'v1')
        ?.resources.find(({ resource }) => resource === plural);
      expect(found).toMatchObject({ responseKind: { kind: expected }, scope: 'Namespaced', verbs: ALL_VERBS });
      expect(found?.subresources?.map(({ subresource }) => subresource)).toContain('status');
      // Another case may add a kind at this moment, which changes the document: then try again.
      await until(`${path} is not sent twice`, async () => {
        const tag = (await f.http.ask('GET', path, { headers: { accept: AGGREGATED } })).headers.etag ?? '';
        const again = await f.http.ask('GET', path, { headers: { accept: AGGREGATED, 'if-none-match': tag } });
        return again.status === 304 && again.text === '' && again.headers.etag === tag;
      });
    }
  });

  test('case 98: OpenAPI comes as protobuf, and as documents under their hash', async () => {
    const f = fixture();
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const v2 = await f.http.ask('GET', '/openapi/v2', { headers: { accept } });
    expect(v2.status).toBe(200);
    expect(v2.headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
    // swagger, info, paths, definitions: the fields of a document, each complete.
    expect([...new Set(fieldNumbers(v2.bytes))]).toEqual(expect.arrayContaining([1, 2, 8, 9]));
    // Another case may add a kind at this moment, which changes the document: then try again.
    await until('both encodings have one tag, and are not sent twice', async () => {
      const { etag = '' } = (await f.http.ask('GET', '/openapi/v2')).headers;
      const again = await f.http.ask('GET', '/openapi/v2', { headers: { accept, 'if-none-match': etag } });
      return again.status === 304 && again.text === '' && again.headers.etag === etag;
    });
    const { paths } = (await f.get('/openapi/v3')) as unknown as {
      paths: Record<string, { serverRelativeURL: string } | undefined>;
    };
    const url = paths['api/v1']?.serverRelativeURL ?? '';
    expect(url).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{128}$/);
    expect(paths).toHaveProperty(['apis/apps/v1']);
    const document = await f.http.ask('GET', url);
    expect(ok(document)).toMatchObject({
      openapi: '3.0.0',
      paths: { '/api/v1/namespaces/{namespace}/pods/{name}': {} },
    });
    expect(document.headers['cache-control']).toBe('public, immutable');
    const wrong = await f.http.ask('GET', '/openapi/v3/api/v1', { query: { hash: 'ABC' } });
    expect(wrong.status).toBe(301);
    expect(wrong.headers.location).toBe(url);
    expect((await f.http.ask('GET', '/openapi/v3/apis/no.such/v1')).status).toBe(404);
  });

  test('case 99b: /version has no other form than JSON', async () => {
    const f = fixture();
    const ask = (accept: string) => f.http.ask('GET', '/version', { headers: { accept } });
    for (const accept of ['application/json', '*/*', 'text/html, */*;q=0.1'])
      expect((await ask(accept)).status).toBe(200);
    for (const accept of ['text/plain', 'application/cbor'])
      expectFailure(await ask(accept), 406, 'NotAcceptable', {
        message: '406: Not Acceptable\n\nAvailable representations: application/json',
      });
    expect((await ask('application/yaml')).status).toBe(406);
  });

  test('case 99: the server responds to /version and to the health checks', async () => {
    const f = fixture();
    const version = (await f.get('/version')) as unknown as Record<string, string>;
    expect(version['major']).toBe('1');
    expect(version['minor']).toMatch(/^\d+\+?$/);
    expect(version['gitVersion']).toMatch(/^v\d/);
    for (const path of ['/healthz', '/livez', '/readyz']) {
      const brief = await f.http.ask('GET', path);
      expect([brief.status, brief.headers['content-type'], brief.text]).toEqual([
        200,
        'text/plain; charset=utf-8',
        'ok',
      ]);
      const verbose = await f.http.ask('GET', `${path}?verbose`);
      expect(verbose.text.split('\n')).toContain('[+]ping ok');
      expect(verbose.text).toMatch(new RegExp(`\\n${path.slice(1)} check passed\\n$`));
    }
    expect((await f.http.ask('GET', '/livez/ping')).text).toBe('ok');
  });
}
