// What is said of an email about an account that was just queued: only what leaves is called sent.
import { toast } from '@/ui/toast/toast-store'
import { waitingIn } from './delivery-words'

type Said = { title: string; description: string }

/** The toast: what was said to leave, or why it waits, as `X-Waiting` has it. */
export function sayMailed(headers: Headers, said: Said): void {
  const waiting = waitingIn(headers)
  if (waiting === '') toast.success(said.title, said.description)
  else toast.show('Not sent yet', { description: waiting })
}
