import { hasCode, isForbidden, isUnauthorized } from 'kube-informer/core';
import type { Env } from 'kube-informer/core';
import { objectAgeInstant, objectFieldText, objectFieldTexts } from '@kube-informer/inspector/internal';
import type { Session } from '../session/session.ts';
import { describeCommandFailure } from '../output/command-failure.ts';
import { pluralNumber } from '../text/numbers.ts';
import {
  failDoctorFinding,
  type Finding,
  noteDoctorFinding,
  okDoctorFinding,
  warnDoctorFinding,
} from './doctor-finding.ts';
import { safe } from '../text/safe.ts';

/** Maximum clock difference without a warning. Beyond it tokens and leases may be rejected. */
const MAX_SKEW_MS = 5_000;
const TIMEOUT_MS = 10_000;

/** Checks the API: does it respond, as whom are we authenticated, which groups does it serve, is its clock right. */
export async function* apiFindings(session: Session, env: Env, signal: AbortSignal): AsyncGenerator<Finding> {
  const { client } = session;
  const once = { signal, attempts: 'once', timeoutMs: TIMEOUT_MS } as const;
  try {
    const startedAt = env.now();
    const version = await client.request({ path: '/version', ...once });
    const ms = Math.ceil(env.now() - startedAt);
    yield okDoctorFinding(
      'server',
      `Kubernetes ${objectFieldText(version, 'gitVersion', '(unknown version)')}, first response after ${ms} ms`,
    );
  } catch (error) {
    // An unauthenticated user may be refused even the version. The login check below reports that.
    if (!isUnauthorized(error) && !isForbidden(error)) return yield unansweredApiFinding('server', error);
  }
  yield* apiFindingsOfSkew(session);
  const login = await apiIdentityFinding(session, once);
  yield login;
  if (login.level === 'fail') return;
  try {
    const resources = await client.discovery.resources({ signal });
    const groups = new Set(resources.map(({ group }) => group));
    yield okDoctorFinding(
      'API groups',
      `${pluralNumber(groups.size, safe`group`)} with ${pluralNumber(resources.length, safe`resource`)}`,
    );
  } catch (error) {
    yield unansweredApiFinding('API groups', error);
  }
}

async function apiIdentityFinding({ client }: Session, once: object): Promise<Finding> {
  try {
    await client.request({ path: '/api', ...once });
  } catch (error) {
    if (isUnauthorized(error))
      return failDoctorFinding(
        'login',
        'the server rejects these credentials',
        'log in again: the token or certificate has expired or belongs to another cluster',
      );
    if (hasCode(error, 'CREDENTIALS'))
      return failDoctorFinding('login', describeCommandFailure(error).message, 'check the user in the kubeconfig');
    if (!isForbidden(error)) return unansweredApiFinding('login', error);
  }
  try {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const review = await client.request({ method: 'POST', path, body, ...once });
    const groups = objectFieldTexts(review, 'status.userInfo.groups');
    const name = objectFieldText(review, 'status.userInfo.username', 'a user without a name');
    if (name === 'system:anonymous')
      return failDoctorFinding(
        'login',
        'you are authenticated as system:anonymous',
        'the kubeconfig has no credentials: add a user to its context',
      );
    return okDoctorFinding(
      'login',
      `you are ${name}${groups.length === 0 ? '' : `, in ${groups.slice(0, 5).join(', ')}`}`,
    );
  } catch {
    return okDoctorFinding('login', 'the credentials are accepted (this server does not report the user name)');
  }
}

/** Compares the clock with the Date header of the last response, which has a resolution of one second. */
function* apiFindingsOfSkew({ traffic }: Session): Generator<Finding> {
  const { lastHeaders, lastResponseAt } = traffic();
  const theirs = objectAgeInstant(lastHeaders.get('date'));
  if (theirs === undefined || lastResponseAt === undefined)
    return yield noteDoctorFinding('clock', 'the server sends no Date header');
  const skew = theirs - lastResponseAt;
  const seconds = Math.round(Math.abs(skew) / 1_000);
  if (Math.abs(skew) <= MAX_SKEW_MS) yield okDoctorFinding('clock', 'your clock and the clock of the server agree');
  else
    yield warnDoctorFinding(
      'clock',
      `your clock is ${seconds} s ${skew > 0 ? 'behind' : 'ahead of'} the clock of the server`,
      'enable time synchronisation: tokens and certificates depend on it',
    );
}

function unansweredApiFinding(topic: string, error: unknown): Finding {
  const { message, advice } = describeCommandFailure(error);
  return failDoctorFinding(topic, message, advice ?? 'check the address and the server');
}
