import { expect } from 'vitest';
import type { Answer, Body } from './target.ts';

export interface Failure {
  /** The whole message, or a pattern where its wording is not part of the contract. */
  readonly message?: string | RegExp;
  /** The whole of `details`. */
  readonly details?: object;
  /** Required causes, by their fields; the wording of their messages is not checked. */
  readonly causes?: readonly object[];
}

/** Checks that a response is a Status with this code and reason, in the header and in the body. */
export function expectFailure(answer: Answer, code: number, reason?: string, more: Failure = {}): Body {
  expect(answer.status, answer.text).toBe(code);
  expect(answer.headers['content-type']).toBe(answer.statusType);
  return expectStatus(answer.body, code, reason, more);
}

/** The same for a Status in a watch frame. */
export function expectStatus(body: Body, code: number, reason?: string, more: Failure = {}): Body {
  expect(body).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code });
  expect(body.reason).toBe(reason);
  if (typeof more.message === 'string') expect(body.message).toBe(more.message);
  if (more.message instanceof RegExp) expect(body.message).toMatch(more.message);
  if (more.details !== undefined) expect(body.details).toEqual(more.details);
  if (more.causes !== undefined) {
    expect(body.details.causes).toEqual(more.causes.map((cause) => expect.objectContaining(cause)));
  }
  return body;
}
