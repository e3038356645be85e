import { hasCode } from 'kube-informer/core';
import { expect, test } from 'vitest';
import { type ApiServerOptions, startApiServer } from '../src/index.ts';

const refusal = async (options: unknown): Promise<string> => {
  try {
    const server = await startApiServer(options as ApiServerOptions);
    await server.close();
  } catch (error) {
    if (hasCode(error, 'INVALID_OPTION')) return (error as Error).message;
    throw error;
  }
  return 'started';
};

test.each<[unknown, string]>([
  [{ auth: 'RBAC' }, 'auth: expected one of dev, open, rbac, got "RBAC"'],
  [{ auth: 'none' }, 'auth: expected one of'],
  [{ profile: 'x' }, 'profile: expected one of envtest, demo, got "x"'],
  [{ bogus: 1 }, 'there is no bogus: expected one of port, host'],
  [{ maxQueuedBytes: -5 }, 'maxQueuedBytes: expected a whole number from 1 on, got -5'],
  [{ requestLog: -1 }, 'requestLog: expected a whole number from 0 on, got -1'],
  [{ requestLog: NaN }, 'got NaN'],
  [{ history: { events: -1 } }, 'history.events: expected a whole number from 0 on, got -1'],
  [{ history: { event: 1 } }, 'there is no history.event'],
  [{ bookmarks: { everyMs: 0 } }, 'bookmarks.everyMs: expected a number above 0, got 0'],
  [{ port: -1 }, 'port: expected a whole number from 0 to 65535, got -1'],
  [{ port: '80' }, 'got "80"'],
  [{ tls: 'no' }, 'tls: expected true or false'],
  [{ controllers: ['garbagecollector'] }, 'controllers[0]: expected one of garbageCollector, namespaces'],
  [{ controllers: true }, 'controllers: expected all, or a list of one of garbageCollector'],
  [{ nodes: { count: -1 } }, 'nodes.count: expected a whole number from 0 to 250, got -1'],
  [{ manifests: [''] }, 'manifests[0]: expected a path, got ""'],
  [{ admin: { port: 1.5 } }, 'admin.port: expected'],
  [{ token: 'two words' }, 'token: expected a text without spaces'],
  [null, 'expected an object, got null'],
])('invalid options are refused with their name: %j', async (options, message) => {
  expect(await refusal(options)).toContain(message);
});

test('an option that is undefined counts as absent', async () => {
  expect(await refusal({ tls: false, port: undefined, auth: undefined, history: { events: undefined } })).toBe(
    'started',
  );
});
