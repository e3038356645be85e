/** A difference of an older server, or of one with a feature switched off, from the newest. */
export interface Exception {
  /** The first words of titles: `case 84`, `point (c)`. */
  readonly cases: readonly string[];
  readonly reason: string;
  /** Text in the message or the diff that the cases fail with there; never a time-out. */
  readonly failure: RegExp;
}

const STREAMING = [
  'case 80',
  'case 81',
  'case 82',
  'case 83',
  'case 86',
  'case 102',
  'case 103',
  'case 104',
  'case 106',
  'case 108',
  'point (c)',
  'point (d)',
  'point (j)',
];

const NO_MARK: Exception = {
  cases: ['case 85'],
  reason: 'without streaming lists no bookmark marks the end of the initial events',
  failure:
    /^expected undefined to deeply equal \{ 'k8s\.io\/initial-events-end': 'true' \}|^the watch ended \(clean\) where a frame was due/,
};

/** The newest server with `--feature-gates=WatchList=false`. */
export const WITHOUT_STREAMING_LISTS: readonly Exception[] = [
  {
    cases: [...STREAMING, 'case 84'],
    reason: 'streaming lists are off: `sendInitialEvents` is refused with 422 in every combination',
    failure: /Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled/,
  },
  NO_MARK,
];

/** kube-apiserver 1.26. */
export const OLD: readonly Exception[] = [
  {
    cases: STREAMING,
    reason: 'there are no streaming lists yet: `resourceVersionMatch` is refused for every watch with 422',
    failure: /was answered 422: [^]*resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch\b/,
  },
  {
    cases: ['case 84'],
    reason: '`sendInitialEvents` alone is ignored: an ordinary watch begins',
    failure: /^expected 200 to be 422/,
  },
  NO_MARK,
  {
    cases: ['case 38'],
    reason: '`sendInitialEvents` is ignored in a list',
    failure: /^\{"kind":"LeaseList",.*\s*: expected 200 to be 422/,
  },
  {
    cases: ['case 34b'],
    reason: 'a list from the watch cache is in no order',
    failure: /^expected \[ '\w', .* to deeply equal \[ 'a', 'b', 'c', /,
  },
  {
    cases: ['case 71b'],
    reason: 'the initial events of a watch are in no order',
    failure: /^expected \[ 'ADDED \w', .* to deeply equal \[ 'ADDED a', /,
  },
  {
    cases: ['case 36'],
    reason: 'an exact list far ahead is 500 `etcdserver: mvcc: required revision is a future revision`, not 504',
    failure: /"etcdserver: mvcc: required revision is a future revision","code":500\}\s*: expected 500 to be 504/,
  },
  {
    cases: ['point (a)'],
    reason: 'a list with an invalid version is 500 without a reason, not 400',
    failure: /"resourceVersion: Invalid value: .*"code":500\}\s*: expected 500 to be 400/,
  },
  {
    cases: ['case 40', 'case 77'],
    reason: 'custom resources have no selectable fields yet (1.30)',
    failure: /answered 400.*"field label not supported: spec\.color"/,
  },
  {
    cases: ['case 96d'],
    reason: 'custom resources have no selectable fields yet (1.30): they are dropped without a check',
    failure: /^expected \[\] to deeply equal \[ Array\(1\) \]/,
  },
  {
    cases: ['case 93'],
    reason: 'aggregated discovery is not on yet (1.27): requested alone it is 406',
    failure: /^answered 406, not 200: [^]*"only the following media types are accepted: /,
  },
  {
    cases: ['case 97b'],
    reason: 'aggregated discovery is not on yet (1.27): the plain form is sent',
    failure: /Expected: "application\/json;g=apidiscovery[^"]*"\nReceived: "application\/json"/,
  },
  {
    cases: ['case 97'],
    reason: '`singularName` of built-in resources is empty before 1.27',
    failure: /^-\s+"singularName": "configmap",\n\+\s+"singularName": "",/m,
  },
  {
    cases: ['case 98'],
    reason: 'the content type of OpenAPI as protobuf is `application/octet-stream`',
    failure: /Received: "application\/octet-stream"/,
  },
  {
    cases: ['case 99'],
    reason: 'a binary of this version that is built from its Go module does not know its version',
    failure: /^expected '' to be '1'/,
  },
  {
    cases: ['case 96e'],
    reason: 'the message shows the value as Go writes it: `[]apiextensions.CustomResourceDefinitionVersion{}`',
    failure: /^\+ .*Invalid value: \[\]apiextensions\.CustomResourceDefinitionVersion\{\}: /m,
  },
  {
    cases: ['point (cc3)'],
    reason: 'ranges of cluster addresses are no objects yet (1.33)',
    failure: /^answered 404, not 200: .*"the server could not find the requested resource"/,
  },
  {
    cases: ['case 15b'],
    reason: 'the message shows the value as Go writes it: `[]string{"x"}`',
    failure: /Received: .*Unsupported value: \[\]string\{"x"\}: /,
  },
  {
    cases: ['case 45'],
    reason: 'the message shows the value as Go writes it: `0x0`',
    failure: /Received: .*Invalid value: 0x0: must be specified for an update/,
  },
  {
    cases: ['case 61', 'point (t3)'],
    reason: 'an apply of another kind is `Incorrect version specified in apply patch`',
    failure: /Received:\s+"Incorrect version specified in apply patch\./,
  },
  {
    cases: ['case 66'],
    reason: 'a DELETE with a body that is not an object is 500, not 400',
    failure: /"couldn't get version\/kind; json parse error: .*"code":500\}\s*: expected 500 to be 400/,
  },
  {
    cases: ['point (t)'],
    reason: 'a DELETE with options of a wrong type is 500, not 400',
    failure:
      /"json: cannot unmarshal string into Go struct field DeleteOptions\..*"code":500\}\s*: expected 500 to be 400/,
  },
  {
    cases: ['point (r5)'],
    reason: 'a DELETE with a body that is nested too deeply is 500, not 400',
    failure: /exceeded max depth.*"code":500\}\s*: expected 500 to be 400/,
  },
  {
    cases: ['case 100c'],
    reason: 'the message about a missing right to create ends with `is forbidden: ` and no reason',
    failure:
      /^\+ .*"configmaps \\"new\\" is forbidden: ",\n\+ .*"leases\.coordination\.k8s\.io \\"new\\" is forbidden: ",/m,
  },
  {
    cases: ['point (k)'],
    reason: 'the message shows the bytes as Go writes them: `[]byte(nil)`',
    failure: /^\+ .*"Invalid value: \[\]byte\(nil\): PEM block type must be CERTIFICATE REQUEST"/m,
  },
  {
    cases: ['point (l)'],
    reason: 'metrics of single containers are not on yet (1.27): a `ContainerResource` is 422',
    failure: /^answered 422, not 201: .*only allowed when HPAContainerMetrics feature is enabled/,
  },
  {
    cases: ['point (m)'],
    reason: 'Pods have no `generation` yet (1.33)',
    failure: /^-\s+"generation": 2,\n\+\s+"creationTimestamp": /m,
  },
  {
    cases: ['point (n)'],
    reason: 'Pods have no subresource `resize` yet (1.33): it is 404',
    failure: /^answered 404, not 200: .*"the server could not find the requested resource"/,
  },
  {
    cases: ['point (o)'],
    reason: 'the message about impersonation is about the user, not about the request: `users "jane" is forbidden`',
    failure: /Received:\s+"users \\"jane\\" is forbidden: User cannot impersonate resource \\"users\\" in API group/,
  },
  {
    cases: ['point (q2)'],
    reason: 'flowcontrol.apiserver.k8s.io/v1 is not served yet (1.29)',
    failure: /"the server could not find the requested resource".*\s*: expected 404 to be 422/,
  },
  {
    cases: ['point (q3)'],
    reason: 'a negative period stays as it is',
    failure: /^\+\s+"terminationGracePeriodSeconds": -1,/m,
  },
  {
    cases: ['point (s6)'],
    reason: 'a StatefulSet may mount a volume that its template does not have',
    failure: /^\{"kind":"StatefulSet",[^]*: expected 201 to be 422/,
  },
  {
    cases: ['case 110'],
    reason: 'a `creationTimestamp` that is not set is null in JSON; in protobuf it is absent',
    failure: /^-\s+"creationTimestamp": null,/m,
  },
  {
    cases: ['k8slongname', 'k8sshortname', 'k8s-long-name', 'k8s-short-name'].map((format) => `point (p) ${format}`),
    reason: 'the Kubernetes formats of names do not exist yet (1.34): every text is accepted',
    failure: /"passes: A",/,
  },
  {
    cases: ['point (p) uri'],
    reason: 'a second port is accepted: `http://a:80:80`',
    failure: /^expected \[ 'passes: http:\/\/a:80:80' \] to deeply equal \[\]/,
  },
  {
    cases: ['point (v)', 'point (v2)', 'point (v3)', 'point (v4)', 'point (v5)', 'point (v6)'],
    reason:
      'rules have no `reason`, `fieldPath` and `messageExpression` yet (1.28), and no value that breaks one may stay (1.33)',
    failure: /^expected /,
  },
  {
    cases: ['x', 'x2', 'x3', 'x4', 'x5', 'x6', 'z', 'z2', 'z3'].map((point) => `point (${point})`),
    reason: 'admission policies are not served yet (validating ones 1.30, mutating ones 1.36)',
    failure: /the server could not find the requested resource/,
  },
  {
    cases: ['point (y4)'],
    reason: 'webhooks have no match conditions yet (1.27): they are dropped',
    failure: /answered 400, not 201: .*denied the request: \/labelled CREATE ConfigMap\/v1/,
  },
  {
    cases: ['point (y5)'],
    reason: 'webhooks have no match conditions yet (1.27), and messages show lists as Go writes them: `[]string{"v7"}`',
    failure: /\[\]string\{\\?"v7\\?"\}/,
  },
  {
    cases: ['point (u)'],
    reason: 'a secret with an invalid certificate is not warned about yet',
    failure: /^expected \[\] to deeply equal \[ Array\(1\) \]/,
  },
  {
    cases: ['point (u4)'],
    reason: 'profiles of AppArmor are annotations only (until 1.30)',
    failure: /appArmorProfile/,
  },
  {
    cases: ['point (u5)'],
    reason: 'the 404 about a missing role names the resource of the role',
    failure: /roles\.rbac\.authorization\.k8s\.io "missing" not found/,
  },
];

/** The rows that README.md must have. */
export function exceptionRows(server: string, exceptions: readonly Exception[]): string[] {
  return exceptions.map(({ cases, reason }) => `| ${server} | ${cases.join(', ')} | ${reason} |`);
}
