/* Run as a process of its own by transport.process.slow.test.ts: what only a whole process can show. */
import { openSync } from 'node:fs';
import { createNodeTransport } from '../../../src/client/transport/node/node-transport.ts';
import { errorMessageOf } from '../../../src/core/errors.ts';

const [mode, server = '', proxy] = process.argv.slice(2);
const ca = process.env['TEST_CA'] as string;
const received = async (): Promise<string> => {
  const transport = createNodeTransport({
    server: new URL(server),
    tls: { current: () => ({ ca }), refresh: () => Promise.resolve(false) },
    ...(proxy === undefined ? {} : { proxy: new URL(proxy) }),
  });
  try {
    const signal = new AbortController().signal;
    const { body } = await transport.send({ method: 'GET', path: '/hello', headers: {}, signal });
    let text = '';
    for await (const chunk of body) text += Buffer.from(chunk).toString();
    return `answer ${text}`;
  } catch (error) {
    const { code, cause } = error as { code?: string; cause?: { code?: string } };
    return `failure ${code} ${cause?.code} ${errorMessageOf(error)}`;
  }
  // No close(): an unused connection must not keep the process.
};
const takeAllFiles = (): void => {
  try {
    for (;;) openSync('/dev/null', 'r');
  } catch {
    // none left
  }
};

let outcome = '';
do {
  if (mode === 'files') takeAllFiles();
  outcome = await received();
  // Threads of the platform may have given one back meanwhile; they have not many.
} while (mode === 'files' && outcome.startsWith('answer'));
console.log(outcome);
