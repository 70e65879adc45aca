// Manual resend of a message. The server checks its send policy again.
import { api, ApiError, type Schema, unwrap } from './client'

/** Sent, or a question with what changed since. */
export type ResendResult = { sent: Schema['MessageRetried'] } | { asks: string }

export async function resendMessage({ id, anyway = false }: { id: string; anyway?: boolean }): Promise<ResendResult> {
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

/** Toast text after queueing: sending now, or held until when. */
export function resendToastText(result: ResendResult, leaves: string): string | undefined {
  if (!('sent' in result)) return undefined
  const { outlook } = result.sent
  return !outlook || outlook.state === 'leaves'
    ? leaves
    : `${outlook.text.charAt(0).toUpperCase()}${outlook.text.slice(1)}.`
}
