/** Reasons why kube-informer sends more requests in some scripts. */
export const LISTS_AT_ONCE =
  'a first stream that breaks is followed by a plain list at once; client-go waits and streams again';
export const TRIES_TO_GO_ON = 'ours resumes first; client-go relists after a broken HTTP/2 connection';
export const LASTS = 'the fault lasts for a time, and both wait for random times';
export const ASKS_WHILE_GONE =
  'whether a client asks while the kind is gone is chance; ours then asks for a plain list as well before it waits';
