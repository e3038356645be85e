/** One package's source folder and its rooms. */
export interface House {
  readonly root: string;
  /** Folders whose files may import `node:*`. Undefined: all. */
  readonly node?: RegExp;
  /** Packages, entries of packages and files outside `root` that it may import. */
  readonly packages: readonly string[];
  readonly rooms: Readonly<Record<string, readonly string[]>>;
}

/**
 * The rooms of each package and the rooms they may import. `npm run lint` fails on any other import.
 *
 * A name stands for the folder and its subfolders (`core` allows `core/async`); `.` is the root folder. `index.ts` files
 * list names for users: they may export from everywhere, and no file of the package imports them.
 */
const LIBRARY: House = {
  root: 'packages/kube-informer/src',
  packages: ['@kube-informer/kubernetes', 'yaml'],
  // Everything but `node/` runs in browsers too; `compat/` wraps client-node, which needs Node itself.
  node: /(?:^|\/)node$|^compat$/,
  rooms: {
    core: [],
    'core/object': ['core'],
    'core/selector': ['core'],
    'core/async': ['core'],
    'store/packed': ['core'],
    store: ['core', 'store/packed'],
    'informer/list-watch': ['core'],
    'informer/verify': ['core', 'informer/list-watch'],
    'informer/queue': ['core', 'store'],
    'informer/freshness': ['core', 'informer/list-watch'],
    'informer/reflector': ['core', 'informer/list-watch', 'informer/freshness', 'informer/verify', 'informer/queue'],
    'informer/handlers': ['core', 'store'],
    'informer/apply': ['core', 'store', 'informer/*'],
    informer: ['core', 'store', 'informer/*'],
    'client/secrets': ['core'],
    'client/codec': ['core'],
    'client/codec/protobuf': ['core', 'client/codec'],
    'client/transport': ['core', 'client/secrets'],
    'client/transport/fetch': ['core', 'client/transport'],
    'client/transport/node': ['core', 'client/transport'],
    'client/config': ['core', 'client/secrets'],
    'client/config/node': ['core', 'client/secrets', 'client/transport', 'client/config'],
    'client/auth': ['core', 'client/secrets', 'client/transport', 'client/config'],
    'client/auth/node': ['core', 'client/secrets', 'client/transport', 'client/config', 'client/auth'],
    'client/connect': ['core', 'client/secrets', 'client/transport', 'client/config', 'client/auth'],
    'client/request': ['core', 'client/secrets', 'client/codec', 'client/transport', 'client/config', 'client/auth', 'client/connect'],
    'client/discovery': ['core', 'client/request'],
    client: ['core', 'client/*'],
    cluster: ['core', 'store', 'informer', 'client'],
    compat: ['core', 'store', 'informer', 'client', 'cluster'],
    prometheus: ['core'],
    testing: ['core', 'store', 'informer', 'client', 'cluster'],
  },
}; // prettier-ignore

/** storage and auth below api, api below verbs, verbs below http; faults break http from above. */
const APISERVER: House = {
  root: 'packages/apiserver/src',
  packages: ['kube-informer/core', '@kube-informer/kubernetes', 'yaml'],
  rooms: {
    core: [],
    'core/go': ['core'],
    'storage/store': ['core'],
    'storage/watch': ['core', 'storage/store'],
    'storage/durable': ['core', 'storage/store'],
    'auth/user': ['core'],
    'auth/certificates': ['core'],
    'auth/authz': ['core', 'auth/user'],
    'auth/authn': ['core', 'auth/user', 'auth/authz'],
    'auth/review': ['core', 'auth/user', 'auth/authz'],
    'cel/types': [],
    'cel/values': ['cel/types'],
    'cel/syntax': ['cel/values'],
    'cel/cost': ['cel/types', 'cel/values'],
    'cel/check': ['cel/types', 'cel/values', 'cel/syntax', 'cel/cost'],
    'cel/evaluate': ['cel/types', 'cel/values', 'cel/syntax', 'cel/check'],
    'cel/estimate': ['cel/types', 'cel/values', 'cel/syntax', 'cel/cost', 'cel/check'],
    'cel/library': ['cel/types', 'cel/values', 'cel/cost', 'cel/check', 'cel/evaluate'],
    cel: ['cel/*'],
    'api/schema': ['core'],
    'api/schema/formats': ['core'],
    'api/schema/re2': ['core'],
    'api/schema/validation': ['core', 'api/schema', 'api/schema/formats', 'api/schema/re2'],
    'api/meta': ['core', 'api/schema'],
    'api/protobuf': ['core', 'api/schema'],
    'api/discovery': ['core', 'api/schema', 'api/meta'],
    'api/openapi': ['core', 'api/schema', 'api/protobuf'],
    'api/patch': ['core', 'api/schema'],
    'api/apply/structured-merge': ['core', 'api/schema'],
    'api/apply': ['core', 'api/schema', 'api/protobuf', 'api/apply/structured-merge'],
    'api/table/cells': ['core', 'api/meta'],
    'api/table': ['core', 'api/meta', 'api/schema', 'api/table/cells'],
    'api/kinds/common': ['core', 'api/meta'],
    'api/kinds/pod': ['core', 'api/meta', 'api/kinds/common'],
    'api/kinds/workload': ['core', 'api/meta', 'api/kinds/common', 'api/kinds/pod'],
    'api/kinds/storage': ['core', 'api/meta', 'api/kinds/common', 'api/kinds/pod'],
    'api/security-standards': ['core', 'api/kinds/common'],
    'api/kinds/network': ['core', 'api/meta', 'api/kinds/common'],
    'api/kinds/cluster': ['core', 'api/meta', 'api/kinds/common'],
    'api/rules': ['core', 'cel', 'api/schema', 'api/meta', 'api/kinds/common', 'api/rules/library'],
    'api/rules/library': ['core', 'cel', 'api/schema', 'api/meta', 'api/kinds/common'],
    'api/policies': ['core', 'cel', 'api/rules', 'api/kinds/common'],
    'api/kinds/admission': ['core', 'api/meta', 'api/policies', 'api/kinds/common'],
    'api/kinds/definition': ['core', 'api/meta', 'api/schema', 'api/table', 'api/rules', 'api/kinds/common'],
    'api/kinds': ['core', 'api/meta', 'api/schema', 'api/protobuf', 'api/kinds/*'],
    registry: ['core', 'storage', 'api'],
    'verbs/request': ['core', 'api', 'registry'],
    'verbs/plugins': ['core', 'api', 'registry'],
    verbs: ['core', 'storage', 'api', 'registry', 'verbs/request', 'verbs/plugins'],
    conversion: ['core', 'api', 'registry', 'admission/webhooks'],
    'admission/matching': ['core', 'storage', 'api', 'registry', 'verbs'],
    'admission/policies': ['core', 'cel', 'api', 'auth', 'registry', 'verbs', 'admission/matching'],
    'admission/webhooks': ['core', 'api', 'auth', 'registry', 'verbs', 'admission/matching', 'admission/policies'],
    admission: ['core', 'api', 'auth', 'registry', 'verbs', 'admission/matching', 'admission/policies', 'admission/webhooks'],
    'controllers/common': ['core', 'api'],
    'controllers/workloads': ['core', 'controllers/common'],
    'controllers/network': ['core', 'controllers/common'],
    'controllers/nodes': ['core', 'controllers/common'],
    'controllers/autoscaling': ['core', 'controllers/common'],
    controllers: ['core', 'api', 'controllers/*'],
    'http/listener': ['core', 'auth'],
    'http/message': ['core', 'storage', 'api', 'registry', 'verbs'],
    'http/web-socket': ['core', 'storage', 'http/message'],
    'http/spdy': ['http/message'],
    'http/pods': ['core', 'http/message', 'http/web-socket', 'http/spdy'],
    http: ['core', 'storage', 'api', 'auth', 'registry', 'verbs', 'http/listener', 'http/message', 'http/web-socket', 'http/spdy', 'http/pods'],
    'faults/rules': ['core', 'storage', 'api', 'http'],
    'faults/actions': ['core', 'storage', 'auth', 'api/protobuf', 'http', 'faults/rules'],
    faults: ['core', 'storage', 'verbs', 'http', 'faults/rules', 'faults/actions'],
    'faults/admin': ['core', 'storage', 'api', 'http', 'faults', 'faults/rules'],
    'server/defaults': ['core'],
    server: ['core', 'server/defaults', 'storage', 'api', 'auth', 'registry', 'verbs', 'admission', 'conversion', 'controllers', 'http', 'faults'],
    '.': ['core', 'storage', 'api', 'auth', 'registry', 'verbs', 'admission', 'conversion', 'controllers', 'http', 'faults', 'server'],
  },
}; // prettier-ignore

const CLI: House = {
  root: 'packages/cli/src',
  packages: ['kube-informer', '@kube-informer/apiserver', '@kube-informer/controller', '@kube-informer/inspector', '@kube-informer/kubernetes', 'yaml'],
  rooms: {
    text: [],
    demo: [],
    columns: ['text'],
    host: ['text'],
    terminal: ['host', 'text'],
    output: ['host', 'text'],
    arguments: ['host', 'text'],
    top: ['output', 'columns', 'text'],
    session: ['arguments', 'terminal', 'host', 'text'],
    diff: ['output', 'text'],
    why: ['text'],
    watch: ['diff', 'session', 'output', 'terminal', 'host', 'columns', 'text'],
    doctor: ['session', 'output', 'host', 'text'],
    commands: ['doctor', 'watch', 'why', 'diff', 'session', 'top', 'arguments', 'output', 'terminal', 'host', 'columns', 'demo', 'text'],
    '.': ['commands', 'arguments', 'output', 'host', 'text'],
  },
}; // prettier-ignore

/** queue, objects, events and election stand alone; run and freshness know no sources; front wires them. */
const CONTROLLER: House = {
  root: 'packages/controller/src',
  packages: ['kube-informer', '@kube-informer/kubernetes', '@kube-informer/apiserver', 'yaml'],
  rooms: {
    queue: [],
    objects: [],
    events: [],
    election: [],
    run: ['queue'],
    freshness: [],
    sources: ['run'],
    front: ['run', 'freshness', 'sources'],
    permissions: ['front'],
    operator: ['queue', 'run', 'freshness', 'sources', 'front', 'permissions', 'objects', 'events', 'election'],
    testing: ['front', 'operator'],
  },
}; // prettier-ignore

const INSPECTOR: House = {
  root: 'packages/inspector/src',
  packages: ['kube-informer', 'yaml'],
  rooms: {
    protocol: [],
    page: [],
    mask: [],
    objects: ['protocol'],
    history: ['objects', 'protocol'],
    caches: ['history', 'protocol'],
    operators: [],
    summaries: ['caches', 'operators', 'history', 'objects', 'mask', 'protocol'],
    server: ['summaries', 'caches', 'operators', 'history', 'mask', 'page', 'protocol'],
    '.': ['server', 'summaries', 'caches', 'operators', 'history', 'objects', 'mask', 'protocol'],
  },
}; // prettier-ignore

const INSPECTOR_PAGE: House = {
  root: 'packages/inspector/web',
  packages: ['packages/inspector/src/protocol', 'packages/inspector/src/objects'],
  rooms: {
    browser: [],
    parts: ['browser'],
    views: ['parts', 'browser'],
    styles: [],
    '.': ['views', 'parts', 'browser', 'styles'],
  },
}; // prettier-ignore

const KUBERNETES: House = {
  root: 'packages/kubernetes/src',
  packages: [],
  rooms: { generate: [], '.': ['generate'] },
};

export const houses: readonly House[] = [LIBRARY, APISERVER, CONTROLLER, CLI, INSPECTOR, INSPECTOR_PAGE, KUBERNETES];

/** Folders that only have to keep to the number of files. */
export const counted: readonly string[] = ['packages', 'test', 'tools', 'bench', 'examples'];
