import { defined, type Env } from 'kube-informer/core';
import { UNIT_MS } from '../common/controller-time.ts';
import type { PodConnections } from '../../core/connected-pod.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import type { Typed } from '../common/typed-resource.ts';
import {
  type Check,
  shapeCheckThat,
  functionCheck,
  integerShapeCheck,
  notNegativeCheck,
  shapeCheck,
} from '../../core/shape-check.ts';

/** A container that is about to start. */
export interface ContainerStart {
  /** Shared with the server: do not change it. */
  readonly pod: ApiObject;
  readonly container: string;
  readonly image: string;
  /** Number of earlier starts. */
  readonly restarts: number;
}

/** The script of a container: output, readiness and exit code. */
export interface ContainerScript {
  /** Time from its start until it is ready. Infinity: never. @default `readyAfterMs` of the nodes */
  readonly readyAfterMs?: number;
  /** Time from its start until it ends. @default never for containers that are always restarted, 1 s for others */
  readonly exitAfterMs?: number;
  /** @default 0 */
  readonly exitCode?: number;
  /** Lines that it prints: at its start, or as they are yielded. A generator is stopped with its container. */
  readonly logs?: readonly string[] | (() => AsyncIterable<string>);
}

/** The fake nodes of the controller `nodes`, and the pods on them. */
export interface NodeOptions extends PodConnections {
  /** Number of nodes: `node-1`, `node-2` … @default 3 */
  readonly count?: number;
  /** Time until the containers of a scheduled pod start, as if their images were pulled. @default 0 */
  readonly startAfterMs?: number;
  /** @default 500 */
  readonly readyAfterMs?: number;
  /** Time that a deleted pod takes to end, if its grace period is not shorter. @default 100 */
  readonly stopAfterMs?: number;
  /** Delay before the second restart of a container; it doubles with each one, up to 5 minutes. @default 10 000 */
  readonly restartAfterMs?: number;
  /**
   * Returns the script of a container; undefined for the one in the annotations of its pod, or the default.
   * Called at each start.
   */
  readonly run?: (start: ContainerStart) => ContainerScript | undefined;
  /**
   * Returns the usage of a pod for the controller `hpa`: `{ cpu: '250m', memory: '64Mi' }`; undefined for
   * that in its annotations `kube-informer.dev/cpu` and `memory`, or none. Called every 15 seconds.
   */
  readonly podUsage?: (pod: ApiObject) => Readonly<Record<string, string>> | undefined;
}

export const NODE_OPTIONS: Check = shapeCheck({
  count: integerShapeCheck(0, 250),
  startAfterMs: notNegativeCheck,
  readyAfterMs: notNegativeCheck,
  stopAfterMs: notNegativeCheck,
  restartAfterMs: notNegativeCheck,
  run: functionCheck,
  podUsage: functionCheck,
  exec: functionCheck,
  portForward: functionCheck,
} satisfies Record<keyof NodeOptions, Check>);

/** Prefix of annotations of a pod with the scripts of its containers, for programs in other languages. */
const PREFIX = 'kube-informer.dev/';

/** The script in the annotations `kube-informer.dev/ready-after`, `exit-after`, `exit-code` and `logs`. */
export function nodeOptionScript({ metadata }: ApiObject): ContainerScript {
  const { annotations = {} } = metadata ?? {};
  const text = (name: string): string | undefined => annotations[`${PREFIX}${name}`];
  const ready = nodeOptionMs(text('ready-after'));
  const exit = nodeOptionMs(text('exit-after'));
  const code = text('exit-code');
  const logs = text('logs');
  return {
    ...defined({ readyAfterMs: ready, exitAfterMs: exit, logs: logs?.replace(/\n$/, '').split('\n') }),
    ...(code === undefined ? {} : { exitCode: Number.parseInt(code, 10) || 0 }),
  };
}

/** Usage of pods: from the user's function, or else from their annotations `kube-informer.dev/cpu` and `memory`. */
export function podUsageInNodeOptions(
  { podUsage }: NodeOptions,
  env: Pick<Env, 'log'>,
): (pod: Typed) => Readonly<Record<string, string>> | undefined {
  return (pod) => {
    try {
      const usage = podUsage?.(pod as ApiObject);
      if (usage !== undefined) return usage;
    } catch (error) {
      env.log('error', 'podUsage failed; the usage of this pod is unknown', { pod: pod.metadata?.name, error });
      return undefined;
    }
    const { annotations = {} } = pod.metadata ?? {};
    const usage = defined({ cpu: annotations[`${PREFIX}cpu`], memory: annotations[`${PREFIX}memory`] });
    return Object.keys(usage).length === 0 ? undefined : usage;
  };
}

/** Parses `500ms`, `2s`, `1.5m` or `never`. */
function nodeOptionMs(text: string | undefined): number | undefined {
  if (text === 'never') return Number.POSITIVE_INFINITY;
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text ?? '') ?? [];
  return number === undefined ? undefined : Number(number) * (UNIT_MS.get(unit) ?? 0);
}

const isNodeOptionTime = (value: unknown): boolean => typeof value === 'number' && value >= 0;

/** Checks the result of a user's function. */
export const CONTAINER_SCRIPT: Check = shapeCheck({
  readyAfterMs: shapeCheckThat('a number from 0 on, or Infinity', isNodeOptionTime),
  exitAfterMs: shapeCheckThat('a number from 0 on, or Infinity', isNodeOptionTime),
  exitCode: integerShapeCheck(0, 255),
  logs: shapeCheckThat('lines or a function', (value) => Array.isArray(value) || typeof value === 'function'),
} satisfies Record<keyof ContainerScript, Check>);
