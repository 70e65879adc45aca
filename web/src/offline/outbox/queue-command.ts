// Adds a command to the outbox and starts sending.
import { NetworkError } from '@/api/client'
import { isDemoMode } from '@/lib/demo'
import { StoreLockedError } from '../store-keys'
import { type EnqueuedCommand, outbox } from './outbox'
import { sendOutboxNow } from './use-outbox-sync'

/** False where the device is full or forbids storage. */
export async function queueCommand(command: EnqueuedCommand): Promise<boolean> {
  try {
    await outbox.add(command)
  } catch (error) {
    if (!(error instanceof DOMException || error instanceof StoreLockedError) && 'indexedDB' in globalThis) throw error
    return false
  }
  void sendOutboxNow()
  return true
}

/** False with a connection, in the demonstration, and where the device keeps nothing. */
export async function queueOffline(command: EnqueuedCommand): Promise<boolean> {
  return !navigator.onLine && !isDemoMode() && queueCommand(command)
}

/**
 * Undefined once the command is queued because there is no connection, or it broke. For requests that may arrive
 * twice, or carry the key of the command.
 */
export async function runOrQueue<T>(run: () => Promise<T>, command: EnqueuedCommand): Promise<T | undefined> {
  if (await queueOffline(command)) return undefined
  try {
    return await run()
  } catch (error) {
    if (error instanceof NetworkError && !isDemoMode() && (await queueCommand(command))) return undefined
    throw error
  }
}
