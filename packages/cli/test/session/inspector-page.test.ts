import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { inspectorPageCommandLines, inspectorPageLines } from '../../src/session/inspector-page.ts';

const URL = `http://127.0.0.1:41234/#token=${'x'.repeat(43)}`;

test('the address of the page is never truncated, at any width', () => {
  for (let columns = 10; columns <= 200; columns += 1) {
    const lines = inspectorPageLines(URL, columns);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines.map((line) => line.trim()).join('')).toMatch(new RegExp(`${URL.replace(/[?#.]/g, '\\$&')}$`));
  }
});

test('a shell reads a wrapped command as one line', () => {
  const folder = '/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/a-project-with-a-long-name/kube-AbCdEf';
  const command = `kubectl --kubeconfig ${folder}/config get pods -A -w`;
  expect(inspectorPageCommandLines(command, 200)).toEqual([`   ${command}`]);
  for (let columns = 10; columns < 160; columns += 1) {
    const lines = inspectorPageCommandLines(command, columns);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines.join('\n').replaceAll('\\\n', '')).toBe(`   ${command}`);
  }
  const script = inspectorPageCommandLines(command, 60).join('\n').replace('kubectl', 'echo');
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(`${command.replace('kubectl ', '')}\n`);
});
