import { defaultObjects, type DefaultObjects, type DefaultRule } from '../../core/data.ts';
import type { ApiObject } from '../../core/kube-object.ts';

const API_VERSION = 'flowcontrol.apiserver.k8s.io/v1';

/** The priority levels and flow schemas of a new server. Nothing is queued here: they are for clients that read them. */
export function flowControlObjects(now: string): ApiObject[] {
  const { priorityLevels, flowSchemas } = defaultObjects();
  return [
    ...Object.entries(priorityLevels).map(([name, row]) => flowControlLevel(name, row)),
    ...Object.entries(flowSchemas).map(([name, row]) => flowSchema(name, row, now)),
  ];
}

const flowObject = (kind: string, name: string): ApiObject => ({
  apiVersion: API_VERSION,
  kind,
  metadata: { name, annotations: { 'apf.kubernetes.io/autoupdate-spec': 'true' } },
});

function flowControlLevel(name: string, row: DefaultObjects['priorityLevels'][string]): ApiObject {
  const [type, nominalConcurrencyShares, lendablePercent, queues, handSize, queueLengthLimit] = row;
  const queuing = { queues, handSize, queueLengthLimit };
  const limitResponse = queues === undefined ? { type: 'Reject' } : { type: 'Queue', queuing };
  const spec =
    type === 'Exempt'
      ? { type, exempt: { nominalConcurrencyShares, lendablePercent } }
      : { type, limited: { nominalConcurrencyShares, limitResponse, lendablePercent } };
  return { ...flowObject('PriorityLevelConfiguration', name), spec, status: {} };
}

function flowSchema(name: string, row: DefaultObjects['flowSchemas'][string], now: string): ApiObject {
  const [level, matchingPrecedence, distinguisher, subjects, resources, paths] = row;
  const rule = {
    subjects: subjects.map(flowSubject),
    ...(resources.length === 0 ? {} : { resourceRules: resources.map(flowResourceRule) }),
    ...(paths.length === 0 ? {} : { nonResourceRules: paths.map(flowPathRule) }),
  };
  const found = { type: 'Dangling', status: 'False', lastTransitionTime: now, reason: 'Found' };
  const message = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)} and it exists`;
  return {
    ...flowObject('FlowSchema', name),
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(distinguisher === '' ? {} : { distinguisherMethod: { type: distinguisher } }),
      rules: [rule],
    },
    status: { conditions: [{ ...found, message }] },
  };
}

function flowSubject(text: string): object {
  const [kind = '', place = ''] = text.split(' ');
  const [name = '', namespace] = place.split('/').toReversed();
  if (namespace !== undefined) return { kind, serviceAccount: { namespace, name } };
  return kind === 'User' ? { kind, user: { name } } : { kind, group: { name } };
}

function flowResourceRule([verbs, apiGroups = '', resources = '', scope]: DefaultRule): object {
  return {
    verbs: verbs.split(' '),
    apiGroups: apiGroups.split(' '),
    resources: resources.split(' '),
    ...(scope === undefined ? {} : { clusterScope: true }),
    namespaces: ['*'],
  };
}

const flowPathRule = ([verbs, urls = '']: DefaultRule): object => ({
  verbs: verbs.split(' '),
  nonResourceURLs: urls.split(' '),
});
