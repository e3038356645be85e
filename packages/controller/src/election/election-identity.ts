import { hostname } from 'node:os';
import type { Env } from 'kube-informer/core';

/** `<host>_<uuid>`: the host tells people which pod leads, the uuid distinguishes two processes of one host. */
export function electionIdentity(env: Env): string {
  return `${hostname()}_${randomElectionIdentity(env)}`;
}

/** A UUID of version 4, drawn from Env so that a run can be repeated. */
function randomElectionIdentity(env: Env): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(env.random() * 16).toString(16));
  digits[12] = '4';
  digits[16] = '89ab'.charAt(Math.floor(env.random() * 4));
  return [8, 12, 16, 20, 32].map((end, i, ends) => digits.slice(ends[i - 1] ?? 0, end).join('')).join('-');
}
