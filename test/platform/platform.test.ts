import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import vm from 'node:vm';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

async function bundle(format: 'esm' | 'cjs', after: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { program } from './program.ts'; ${after}`,
      resolveDir: import.meta.dirname,
      loader: 'ts',
    },
    bundle: true,
    write: false,
    format,
    // No Node built-ins: a browser has none.
    platform: 'neutral',
    conditions: ['@kube-informer/source'],
  });
  return outputFiles[0]?.text ?? '';
}

test('F78: bundled as ESM, the engine runs in a worker thread', async () => {
  const code = await bundle('esm', `globalThis.run = program;`);
  const dir = await mkdtemp(join(tmpdir(), 'bundle-'));
  const file = join(dir, 'bundle.mjs');
  await writeFile(
    file,
    `import { parentPort } from 'node:worker_threads';\n${code}\nparentPort.postMessage(await globalThis.run());`,
  );
  const worker = new Worker(file);
  const heard = await new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject));
  await worker.terminate();
  await rm(dir, { recursive: true });
  expect(heard).toEqual(['add web/a', 'delete web/a']);
});

test('F78: bundled as CommonJS, the engine runs where there is nothing of Node', async () => {
  const code = await bundle('cjs', `module.exports = program;`);
  const module = { exports: undefined as unknown };
  // Only the globals of a browser page: no process, no Buffer, no setImmediate, no require.
  const page = {
    module,
    console,
    setTimeout,
    clearTimeout,
    performance,
    AbortController,
    AbortSignal,
    URL,
    TextDecoder,
    structuredClone,
  };
  vm.runInNewContext(code, page);
  expect(await (module.exports as () => Promise<string[]>)()).toEqual(['add web/a', 'delete web/a']);
});
