import { SharedInformer } from 'kube-informer';
import { FakeSource } from 'kube-informer/testing';

/** The whole engine in a few lines, for a bundle or a worker. */
export async function program(): Promise<string[]> {
  const heard: string[] = [];
  const source = new FakeSource();
  source.create({ metadata: { namespace: 'web', name: 'a' } });
  const informer = new SharedInformer(source);
  informer.on({
    add: ({ key }) => void heard.push(`add ${key}`),
    delete: ({ key }) => void heard.push(`delete ${key}`),
  });
  await informer.start().synced({ timeoutMs: 60_000 });
  source.delete('web/a');
  await informer.waitForVersion(source.resourceVersion, { timeoutMs: 60_000 });
  while (heard.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  await informer.stop();
  return heard;
}
