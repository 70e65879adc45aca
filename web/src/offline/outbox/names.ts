// What the page and the service worker share about the outbox: its names, and the news that it has changed.

/** What the browser calls back for once there is a network again. */
export const SYNC_TAG = 'outbox'
/** Where all pages hear that the outbox has changed. */
export const NEWS = 'toolbox-outbox'

/** Tells every other page. */
export function tellNews(): void {
  if (typeof BroadcastChannel === 'undefined') return
  const channel = new BroadcastChannel(NEWS)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
  channel.postMessage('changed')
  channel.close()
}
