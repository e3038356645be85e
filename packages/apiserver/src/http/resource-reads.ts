import type { ApiObject } from '../core/kube-object.ts';
import type { Written } from '../verbs/api-context.ts';
import { afterRecordsConverted } from '../verbs/converted-records.ts';
import { listVerb, type Page } from '../verbs/list-verb.ts';
import { readFreshForVerb } from '../verbs/read.ts';
import { queryOfList } from '../verbs/request/query.ts';
import { type FormOptions, includeObjectInForm, listFormBytes, listForm, objectForm } from './message/forms.ts';
import { type Accepted, PROTOBUF } from './message/negotiate.ts';
import type { Call } from './resource-call.ts';

const loadProtobufForReads = async () => import('./message/protobuf-forms.ts');

export async function handleReadOfResource({ backend, exchange, target }: Call): Promise<void> {
  const accepted = exchange.accepted();
  const record = await readFreshForVerb(
    backend.api,
    target,
    exchange.query.get('resourceVersion') ?? '',
    exchange.gone,
  );
  const { served } = target;
  if (accepted.as === 'object' && accepted.type === PROTOBUF) {
    const { protobufObjectForm } = await loadProtobufForReads();
    return backend.responder.send(exchange, 200, protobufObjectForm(served, record), PROTOBUF_TYPE);
  }
  if (
    accepted.as === 'object' &&
    accepted.type === 'application/json' &&
    !accepted.pretty &&
    served.conversion === undefined
  )
    return backend.responder.send(
      exchange,
      200,
      Buffer.concat([Buffer.from(served.head), record.tail, NEWLINE]),
      JSON_TYPE,
    );
  served.conversion?.forget?.(record);
  const object = await afterRecordsConverted(() => served.object(record));
  return sendResourceReadObject({ backend, exchange, target }, 200, object);
}

const NEWLINE = Buffer.from('\n');
const JSON_TYPE = { 'content-type': 'application/json' };
const PROTOBUF_TYPE = { 'content-type': PROTOBUF };

export async function handleListReadOfResource({ backend, exchange, target }: Call): Promise<void> {
  const accepted = exchange.accepted();
  const query = queryOfList(exchange.query, { isWatch: false, watchList: backend.watchList });
  const { served, namespace } = target;
  // Fails before any work is done if the form does not fit a list.
  if (accepted.as === 'PartialObjectMetadata')
    listForm(NO_PAGE, accepted, await resourceReadForm({ backend, exchange, target }, accepted));
  const page = await listVerb(backend.api, served, namespace, query, exchange.gone);
  await sendResourceReadPage({ backend, exchange, target }, page);
}

const NO_PAGE: Page = { records: [], revision: 0, continue: '', remaining: undefined };

async function resourceReadForm({ backend, exchange, target }: Call, { as }: Accepted): Promise<FormOptions> {
  const { served } = target;
  const now = backend.api.env.wallNow();
  if (as !== 'Table') return { served, table: undefined, include: 'Metadata', now };
  const isScale = target.subresource === 'scale' && !served.resource.custom;
  const table = isScale ? (await import('../api/table/table-format.ts')).scaleFormat : await served.table();
  return { served, include: includeObjectInForm(exchange.query), table, now };
}

export async function sendResourceReadPage({ backend, exchange, target }: Call, page: Page): Promise<void> {
  const accepted = exchange.accepted();
  const { served } = target;
  if (
    accepted.as === 'object' &&
    accepted.type === 'application/json' &&
    !accepted.pretty &&
    served.conversion === undefined
  ) {
    let length = 0;
    for (const { tail } of page.records) length += tail.length;
    return backend.responder.stream(exchange, { type: accepted.type, pieces: listFormBytes(served, page), length });
  }
  if (accepted.type === PROTOBUF && accepted.as !== 'PartialObjectMetadata') {
    const { protobufListForm } = await loadProtobufForReads();
    const { pieces, length } = await protobufListForm(backend.api.env, served, page, accepted);
    return backend.responder.stream(exchange, { type: accepted.type, pieces, length });
  }
  const options = await resourceReadForm({ backend, exchange, target }, accepted);
  return backend.responder.value(exchange, 200, listForm(page, accepted, options), accepted);
}

/** Sends an object in the form that the client prefers. */
export async function sendResourceReadObject(call: Call, status: number, object: ApiObject): Promise<void> {
  const { backend, exchange } = call;
  const accepted = exchange.accepted();
  const shown = objectForm(object, accepted, await resourceReadForm(call, accepted));
  return backend.responder.value(exchange, status, shown, accepted);
}

export const sendWrittenByResourceRead = (call: Call, { status, object }: Written): Promise<void> =>
  sendResourceReadObject(call, status, object);
