// Sends a message once more because a person says so. The server asks its rules again first.
import { api, ApiError, type Schema, unwrap } from './client'

/** It goes, or something has changed that a person may override: then it asks, with what changed. */
export type SendAgainResult = { sent: Schema['MessageRetried'] } | { asks: string }

export async function sendAgain({ id, anyway = false }: { id: string; anyway?: boolean }): Promise<SendAgainResult> {
  try {
    return {
      sent: await unwrap(
        api.POST('/api/messages/{id}/retry', { params: { path: { id }, query: anyway ? { anyway: 'yes' } : {} } }),
      ),
    }
  } catch (error) {
    if (anyway || !(error instanceof ApiError) || error.status !== 409) throw error
    const look = await unwrap(api.GET('/api/messages/{id}/retry', { params: { path: { id } } })).catch(() => undefined)
    if (look?.may === 'go_anyway' && look.reason) return { asks: look.reason }
    throw error
  }
}

/** What is said once it is queued: what leaves is on its way, what is held says until when. */
export function againWords(result: SendAgainResult, leaves: string): string | undefined {
  if (!('sent' in result)) return undefined
  const { outlook } = result.sent
  return !outlook || outlook.state === 'leaves'
    ? leaves
    : `${outlook.text.charAt(0).toUpperCase()}${outlook.text.slice(1)}.`
}
