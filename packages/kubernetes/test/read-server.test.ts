import { expect, test } from 'vitest';
import { readServer } from '../src/generate/index.ts';

function rig(paths: Record<string, string> = {}) {
  const asked: string[] = [];
  const get = async (path: string, accept?: string): Promise<unknown> => {
    asked.push(accept === undefined ? path : `${path} ${accept}`);
    if (path !== '/openapi/v3') return { answer: path };
    return {
      paths: Object.fromEntries(Object.entries(paths).map(([name, url]) => [name, { serverRelativeURL: url }])),
    };
  };
  return { asked, get };
}

const PATHS = {
  api: '/openapi/v3/api?hash=1',
  apis: '/openapi/v3/apis?hash=2',
  version: '/openapi/v3/version?hash=3',
  'apis/apps': '/openapi/v3/apis/apps?hash=4',
  'apis/apps/v1': '/openapi/v3/apis/apps/v1?hash=5',
  'api/v1': '/openapi/v3/api/v1?hash=6',
  'openid/v1/jwks': '/openapi/v3/openid/v1/jwks?hash=7',
};
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

test('asks for aggregated discovery and the document of every group-version, at the addresses the server gives', async () => {
  const { asked, get } = rig(PATHS);
  expect(await readServer(get)).toEqual({
    documents: {
      'api/v1': { answer: '/openapi/v3/api/v1?hash=6' },
      'apis/apps/v1': { answer: '/openapi/v3/apis/apps/v1?hash=5' },
    },
    discovery: [{ answer: '/api' }, { answer: '/apis' }],
  });
  expect(asked).toEqual([
    `/api ${AGGREGATED}`,
    `/apis ${AGGREGATED}`,
    '/openapi/v3',
    '/openapi/v3/api/v1?hash=6',
    '/openapi/v3/apis/apps/v1?hash=5',
  ]);
});

test('reads only the group-versions it was asked for', async () => {
  const { asked, get } = rig(PATHS);
  const { documents } = await readServer(get, { groupVersions: ['apps/v1', 'example.com/v1'] });
  expect(Object.keys(documents)).toEqual(['apis/apps/v1']);
  expect(asked).not.toContain('/openapi/v3/api/v1?hash=6');
});

test.each(['https://elsewhere.example/', '//elsewhere.example/x', '/api/v1/secrets', ''])(
  'a document at %j is not fetched: the credentials would go along',
  async (url) => {
    const { asked, get } = rig({ 'apis/apps/v1': url });
    await expect(readServer(get)).rejects.toThrow('outside /openapi/v3');
    expect(asked).toHaveLength(3);
  },
);

test('a server without schemas gives none', async () => {
  expect((await readServer(rig().get)).documents).toEqual({});
});
