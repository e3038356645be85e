/**
 * The limits of any client in Node: reading the bytes of a list (`drain`), and parsing them as JSON at once (`drain and parse`).
 * Nothing is watched.
 */
import { rawGet } from '../../server/raw-get.ts';
import { type Caches, play, type Start } from './protocol.ts';

const PATHS = { pods: '/api/v1/pods', widgets: '/apis/bench.example.com/v1/widgets' };

async function start({ resource, selector, form }: Start): Promise<Caches> {
  const path = `${PATHS[resource]}?labelSelector=${encodeURIComponent(selector)}`;
  const accept = form.includes('protobuf') ? 'application/vnd.kubernetes.protobuf' : 'application/json';
  const chunks = await rawGet(process.env['KUBECONFIG'] as string, path, accept);
  if (!form.includes('parse')) return { objects: -1, read: () => chunks.length };
  const list = JSON.parse(Buffer.concat(chunks).toString()) as { items: unknown[] };
  return { objects: list.items.length, read: () => list.items.length };
}

await play(`Node ${process.versions.node}`, start);
