/// <reference lib="webworker" />
// Outbox flush by Background Sync.
import { flushOutbox } from '@/offline/outbox/flush'
import { SYNC_TAG, announceOutboxChange } from '@/offline/outbox/names'
import { outboxStore } from '@/offline/outbox/outbox-store'
import { storeKeys } from '@/offline/store-keys'

type SyncEvent = ExtendableEvent & { tag: string }

/** Throws while entries are left, so that the browser retries. */
export async function sendAllOutboxes(): Promise<void> {
  const owners = await outboxStore.owners()
  let isLeft = false
  for (const owner of owners) {
    // oxlint-disable-next-line no-await-in-loop -- each asks who is signed in, and only that person's goes
    const end = await flushOutbox(owner, { onSent: () => undefined, onChange: () => Promise.resolve() })
    isLeft ||= end === 'offline' || end === 'waiting'
  }
  // The page keeps the lease; the worker may outlive it.
  storeKeys.forgetMemory()
  announceOutboxChange()
  if (isLeft) throw new Error('The outbox is not empty yet')
}

export function handleSync(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('sync' as 'message', (event: unknown) => {
    const call = event as SyncEvent
    if (call.tag === SYNC_TAG) call.waitUntil(sendAllOutboxes())
  })
}
