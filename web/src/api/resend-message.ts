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

type ResendText = { title: string; description: string; /** Not leaving yet. */ isHeld: boolean }

/** Toast after queueing: sending now, or held and until when. None for a question. */
export function describeResend(
  result: ResendResult,
  words: { leaves: { title: string; description: string }; heldTitle: string },
): ResendText | undefined {
  if (!('sent' in result)) return undefined
  const { outlook } = result.sent
  if (!outlook || outlook.state === 'leaves') return { ...words.leaves, isHeld: false }
  const description = `${outlook.text.charAt(0).toUpperCase()}${outlook.text.slice(1)}.`
  return { title: words.heldTitle, description, isHeld: true }
}
