/**
 * docs/guides/requirements.md, tried in tiny projects with the tarballs of `npm run pack`: the minimum TypeScript with `skipLibCheck: false`,
 * CommonJS, libs of a browser, and Jest. Ends with an error when one of them is not as the page says.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packAll } from '../release/pack.mjs';

const PROGRAM = `
import { Cluster } from 'kube-informer';
export async function names(): Promise<string[]> {
  const cluster = await Cluster.connect({ url: 'http://127.0.0.1:8001' });
  const pods = cluster.informer('v1/pods');
  await pods.synced({ timeoutMs: 30_000 });
  return pods.list().map(({ metadata }) => metadata.name);
}
`;
const DYNAMIC = PROGRAM.replace("import { Cluster } from 'kube-informer';", '').replace(
  'const cluster',
  "const { Cluster } = await import('kube-informer');\n  const cluster",
);
const JEST = `
import { startApiServer } from '@kube-informer/apiserver';
import { Cluster } from 'kube-informer';
test('an informer', async () => {
  const server = await startApiServer();
  const cluster = await Cluster.connect({ kubeconfig: server.kubeconfig() });
  const maps = cluster.informer('v1/configmaps', { namespace: 'default' });
  await maps.synced({ timeoutMs: 30_000 });
  expect(maps.hasSynced).toBe(true);
  await cluster.close();
  await server.close();
}, 60_000);
`;
const NODE = { module: 'nodenext', types: ['node'], lib: ['es2023', 'esnext.disposable'] };
const BROWSER = {
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
  lib: ['es2023', 'dom', 'dom.iterable', 'esnext.disposable'],
};

/** `says`: a part of the compiler's message; none when the project compiles. */
const PROJECTS = [
  { name: 'minimum', compiler: 'ts57', options: NODE, type: 'module', text: PROGRAM },
  { name: 'browser', compiler: 'ts57', options: BROWSER, type: 'module', text: PROGRAM },
  {
    name: 'commonjs-node16',
    compiler: 'ts59',
    options: { ...NODE, module: 'node16' },
    type: 'commonjs',
    text: PROGRAM,
    says: 'TS1479',
  },
  {
    name: 'commonjs-dynamic',
    compiler: 'ts59',
    options: { ...NODE, module: 'node16' },
    type: 'commonjs',
    text: DYNAMIC,
  },
  { name: 'commonjs-nodenext', compiler: 'ts59', options: NODE, type: 'commonjs', text: PROGRAM },
];

const tarballs = mkdtempSync(join(tmpdir(), 'tarballs-'));
const app = mkdtempSync(join(tmpdir(), 'requirements-'));
const run = (command, args, more = {}) =>
  spawnSync(command, args, { cwd: app, encoding: 'utf8', timeout: 300_000, ...more });
let failures = 0;
const report = (name, isRight, output) => {
  console.log(`${isRight ? 'as documented' : 'NOT AS DOCUMENTED'}: ${name}`);
  if (isRight) return;
  failures += 1;
  console.log(output);
};
try {
  const files = packAll(tarballs).map(({ filename }) => join(tarballs, filename));
  writeFileSync(join(app, 'package.json'), '{ "name": "requirements", "private": true, "type": "module" }\n');
  const tools = ['ts57@npm:typescript@5.7.3', 'ts59@npm:typescript@5.9.3', '@types/node@20.19.43', 'jest@30.5.2'];
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...files, ...tools], { stdio: 'inherit' });
  for (const { name, compiler, options, type, text, says } of PROJECTS) {
    mkdirSync(join(app, name));
    writeFileSync(join(app, name, 'package.json'), JSON.stringify({ type }));
    writeFileSync(join(app, name, 'main.ts'), text);
    const compilerOptions = { target: 'es2022', strict: true, skipLibCheck: false, noEmit: true, ...options };
    writeFileSync(join(app, name, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
    const { status, stdout } = run(process.execPath, [`node_modules/${compiler}/bin/tsc`, '-p', name]);
    report(name, says === undefined ? status === 0 : stdout.includes(says), stdout);
  }
  writeFileSync(join(app, 'informer.test.js'), JEST);
  const jest = run(process.execPath, [
    '--experimental-vm-modules',
    'node_modules/jest/bin/jest.js',
    '--testPathPatterns',
    'informer.test.js',
  ]);
  report('jest', jest.status === 0, jest.stdout + jest.stderr);
} finally {
  for (const each of [tarballs, app]) rmSync(each, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
