import { writeSync } from 'node:fs';
import { argv, kill, pid } from 'node:process';
import { startApiServer } from '../../../src/index.ts';
import { ask } from '../http-client.ts';

/**
 * A server on a data directory and its own client. Prints the acknowledged writes, and is killed at the moment
 * of the last acknowledgement.
 */
const [data = '', turns = '1'] = argv.slice(2);
const server = await startApiServer({ tls: false, data });
const path = '/api/v1/namespaces/default/configmaps';
let done = 0;

async function writeOn(writer: number): Promise<void> {
  for (let turn = 1; ; turn += 1) {
    const name = `c-${writer}-${turn % 5}`;
    const body = { metadata: { name }, data: { turn: `${turn}` } };
    let answer = await ask(server, 'PUT', `${path}/${name}`, { body });
    if (answer.status === 404) answer = await ask(server, 'POST', path, { body });
    if (answer.status > 201) throw new Error(answer.text);
    writeSync(1, `${name} ${answer.body.metadata.resourceVersion}\n`);
    done += 1;
    if (done === Number(turns)) kill(pid, 'SIGKILL');
  }
}

await Promise.all([1, 2, 3, 4].map(writeOn));
