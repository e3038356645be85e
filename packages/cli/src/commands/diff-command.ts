import type { InformerEvent, KubeObject } from 'kube-informer';
import { ageClockTime } from '@kube-informer/inspector/internal';
import { invocationError } from '../arguments/invocation.ts';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import { openSession } from '../session/session.ts';
import { changesBetween } from '../diff/diff-changes.ts';
import { changeTextLine } from '../diff/change-text.ts';
import { logNotices } from '../output/notices.ts';
import { CONNECTION_OPTIONS, NAMESPACE_OPTIONS, SECRET_OPTIONS } from '../arguments/output-option.ts';
import { presenter } from '../output/presenter.ts';
import { signalAborted } from '../host/signals.ts';
import { untilSessionSyncedWithProgress } from '../session/session-sync.ts';
import { findTarget, targetKindName } from '../session/session-target.ts';
import { escapeText } from '../text/escape.ts';
import { type Palette, stylePalette } from '../text/style.ts';
import { namesForGetCommand } from './get-command.ts';
import { type Safe, safe } from '../text/safe.ts';

export const diff: Command = {
  name: 'diff',
  summary: 'prints the changes of one object, field by field, as they happen',
  usage: '<resource>/<name> [options]',
  about:
    'Compares every version of the object with the previous one. Changes in quick succession may be merged.\n' +
    'resourceVersion and managedFields, which always change, are left out.',
  examples: [
    ['kube-informer diff deploy/web -n shop', 'follow a rollout'],
    ['kube-informer diff node/node-1', 'follow the status the kubelet reports'],
  ],
  options: { ...NAMESPACE_OPTIONS, ...SECRET_OPTIONS, ...CONNECTION_OPTIONS },
  positionals: { min: 1, max: 2 },

  async run(invocation, host) {
    const { env, signal, stdout, stderr, environment } = host;
    const { words, names } = namesForGetCommand(invocation);
    const word = words.join(',');
    const [name] = names;
    if (name === undefined) throw invocationError('expected <resource>/<name>: diff works on one object');
    const session = await openSession(invocation, host, {
      env: logNotices(env, (line) => stderr.write(safe`${line}\n`)),
    });
    try {
      const { client, cluster, traffic } = session;
      const target = await findTarget(client, word, invocation, { signal });
      const { namespace, resource } = target;
      if (resource.namespaced && namespace === '')
        throw invocationError('-A cannot be used with an object name: use -n');
      const present = presenter(resource, env, {
        showSecrets: invocation.has('show-secrets'),
        showManagedFields: invocation.has('show-managed-fields'),
      });
      const fields = { 'metadata.name': name };
      const informer = cluster.informer<KubeObject, never>(target.name, { namespace, fields });
      await untilSessionSyncedWithProgress(informer, host, target, traffic);
      if (signal.aborted) return EXIT.success;
      const what = escapeText(`${targetKindName(resource)}/${name}${namespace === '' ? '' : ` in ${namespace}`}`);
      if (informer.list().length === 0) stderr.write(safe`${what} does not exist yet; waiting for it\n`);
      const palette = stylePalette(stdout.isTerminal, environment);
      const print = (event: InformerEvent<KubeObject>): Promise<void> => {
        for (const line of diffCommandLines(what, event, present, env.wallNow(), palette))
          stdout.write(safe`${line}\n`);
        return stdout.drained();
      };
      informer.on({ add: print, update: print, delete: print });
      await signalAborted(signal);
      return EXIT.success;
    } finally {
      await session[Symbol.asyncDispose]();
    }
  },
};

/** The lines for one event. `now` is the wall clock. Empty if no field changed. */
export function diffCommandLines(
  what: Safe,
  event: InformerEvent<KubeObject>,
  present: (object: KubeObject) => KubeObject,
  now: number,
  palette: Palette,
): Safe[] {
  const { object } = event;
  const version = escapeText(object.metadata?.resourceVersion ?? '');
  const head = (text: Safe): Safe =>
    safe`${palette('dim', escapeText(ageClockTime(now)))}  ${palette('bold', what)} ${text}`;
  switch (event.type) {
    case 'add':
      return [head(event.initial ? safe`is at version ${version}` : safe`was created at version ${version}`)];
    case 'delete':
      return [head(palette('bad', safe`was deleted`))];
    case 'update': {
      const changes = changesBetween(present(event.old), present(object));
      if (changes.length === 0) return [];
      const text = event.replaced ? safe`was deleted and recreated, version ${version}` : safe`version ${version}`;
      return [head(text), ...changes.map((change) => safe`  ${changeTextLine(change, palette)}`)];
    }
  }
}
