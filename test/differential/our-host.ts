/**
 * Hosts one kube-informer for scripts that stop the process of the client. The first line is its settings; what the informer
 * says goes out as JSON lines.
 */
import { createInterface } from 'node:readline';
import { startOurs } from './our-client.ts';
import type { Script } from './script.ts';
import type { Address, Subject } from './subject.ts';

const REPORT_EVERY_MS = 20;

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** Reports what is new. The first report after a suspend is made before anything else has happened. */
function report(subject: Subject): void {
  let notices = 0;
  let errors = 0;
  setInterval(() => {
    const { story, isSynced, isBehind } = subject;
    for (const notice of story.notices.slice(notices)) say(notice);
    for (const text of subject.errors.slice(errors)) say({ type: 'error', text });
    notices = story.notices.length;
    errors = subject.errors.length;
    say({ type: 'state', isSynced, isBehind });
  }, REPORT_EVERY_MS);
}

let subject: Subject | undefined;
say({ type: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as { do: string; script?: Script; address?: Address };
  if (command.do === 'start' && command.script !== undefined && command.address !== undefined)
    report((subject = await startOurs(command.script, command.address)));
  else if (command.do === 'dump') say({ type: 'dump', objects: (await subject?.dump()) ?? [] });
  else if (command.do === 'stop') {
    await subject?.stop();
    say({ type: 'stopped' });
  }
}
