import { readKey } from '@kube-informer/inspector';
import type { Command } from '../arguments/command.ts';
import { invocationError } from '../arguments/invocation.ts';
import { EXIT } from '../host/exit-code.ts';
import { joinSafe, safe } from '../text/safe.ts';
import { stylePalette } from '../text/style.ts';
import { whyText } from '../why/why-text.ts';

export const why: Command = {
  name: 'why',
  summary: 'explains why a key of a controller does not run, and shows its last runs',
  usage: '<controller> <namespace/name> --attach <url>',
  about:
    'Reads the inspector of the process that runs the controller. If that process has several replicas, the leader\n' +
    'responds. Texts are masked as on the page.',
  examples: [
    [
      "kube-informer why backups db/orders --attach 'http://127.0.0.1:4000/#token=…'",
      'one object of the controller backups',
    ],
  ],
  options: {
    attach: { type: 'string', value: 'url', help: 'the address that the inspector of the process printed' },
  },
  positionals: { min: 2, max: 2 },

  async run(invocation, { signal, stdout, environment }) {
    const [controller = '', key = ''] = invocation.positionals;
    const url = invocation.text('attach');
    if (url === undefined)
      throw invocationError('missing option --attach <url>: the address that the inspector of the process printed');
    const detail = await readKey(url, { controller, key }, signal);
    const lines = whyText(detail, stylePalette(stdout.isTerminal, environment));
    stdout.write(safe`${joinSafe(lines, '\n')}\n`);
    await stdout.drained();
    return EXIT.success;
  },
};
