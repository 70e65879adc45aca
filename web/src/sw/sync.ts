/// <reference lib="webworker" />
// Sends the outbox with the app closed, where the browser calls for it once there is a network again.
import { flush } from '@/offline/outbox/flush'
import { SYNC_TAG, tellNews } from '@/offline/outbox/names'
import { outboxStore } from '@/offline/outbox/outbox-store'
import { storeKeys } from '@/offline/store-keys'

type SyncEvent = ExtendableEvent & { tag: string }

/** Throws while something is left: the browser then calls again later. */
export async function sendAllOutboxes(): Promise<void> {
  const owners = await outboxStore.owners()
  let isLeft = false
  for (const owner of owners) {
    // oxlint-disable-next-line no-await-in-loop -- each asks who is signed in, and only that person's goes
    const end = await flush(owner, { onSent: () => undefined, onChange: () => Promise.resolve() })
    isLeft ||= end === 'offline' || end === 'waiting'
  }
  // The page keeps the lease; this worker may live on without one.
  storeKeys.forgetMemory()
  tellNews()
  if (isLeft) throw new Error('The outbox is not empty yet')
}

/** Answers the browser's call. */
export function handleSync(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('sync' as 'message', (event: unknown) => {
    const call = event as SyncEvent
    if (call.tag === SYNC_TAG) call.waitUntil(sendAllOutboxes())
  })
}
