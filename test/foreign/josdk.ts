import { existsSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onPath } from '../real/harness/go-program.ts';
import { foreignCache } from './cache.ts';
import { runProgram } from './run-program.ts';
import { programResult, type Suite } from './suite.ts';

const VERSION = '5.1.1';
const source = join(import.meta.dirname, 'josdk');
const folder = join(foreignCache(), `josdk-${VERSION}`);
const PROGRAM = ['Greeting', 'GreetingReconciler', 'Main'].map((name) =>
  join(source, `src/main/java/demo/${name}.java`),
);

/** An operator on the Java Operator SDK, which watches over WebSocket, and fabric8's client beside it. */
export const josdk: Suite = {
  name: 'josdk',
  about: `an operator on JOSDK ${VERSION} with fabric8 on Vert.x: watches over WebSocket, finalizer, status, informers`,
  isQuick: true,

  async prepare(log) {
    for (const program of ['java', 'javac', 'mvn']) if (!onPath(program)) return `${program} is missing`;
    await mkdir(folder, { recursive: true });
    const steps = [
      ['javac', '--release', '17', '-d', join(folder, 'classes'), '-cp', join(folder, 'lib/*'), ...PROGRAM],
    ];
    if (!existsSync(join(folder, 'installed'))) {
      log(`downloading JOSDK ${VERSION} from Maven Central`);
      await cp(join(source, 'pom.xml'), join(folder, 'pom.xml'));
      const copy = [
        'dependency:copy-dependencies',
        '-DincludeScope=runtime',
        `-DoutputDirectory=${join(folder, 'lib')}`,
      ];
      steps.unshift(['mvn', '-q', '-B', '-f', join(folder, 'pom.xml'), ...copy]);
    }
    for (const step of steps) {
      const { code, stdout, stderr } = await runProgram(step, { timeoutMs: 300_000 });
      if (code !== 0) return `${step.slice(0, 4).join(' ')}: ${`${stdout}${stderr}`.trim().split('\n').at(-1) ?? ''}`;
    }
    await writeFile(join(folder, 'installed'), '');
    return undefined;
  },

  play: (withServer, log) =>
    withServer(async (kubeconfig) => {
      const classes = [join(folder, 'classes'), join(folder, 'lib/*')].join(':');
      const program = ['java', '-cp', classes, 'demo.Main', join(source, 'definition.yaml')];
      const env = { KUBECONFIG: kubeconfig };
      return programResult(await runProgram(program, { env, timeoutMs: 240_000 }), log);
    }),
};
