// Outbox names shared by page and service worker.

/** Background Sync tag. */
export const SYNC_TAG = 'outbox'
/** Broadcast channel. */
export const OUTBOX_CHANNEL = 'toolbox-outbox'

export function announceOutboxChange(): void {
  if (typeof BroadcastChannel === 'undefined') return
  const channel = new BroadcastChannel(OUTBOX_CHANNEL)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
  channel.postMessage('changed')
  channel.close()
}
