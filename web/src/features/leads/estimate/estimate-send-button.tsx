// The last button says what leaves, how and to whom.
import { type UseFormReturn, useWatch } from 'react-hook-form'
import { canReceiveTexts } from '@/features/documents/channel-fields'
import { Button } from '@/ui/button'
import type { LeadDetail } from '../queries'
import type { EstimateValues } from '../schema'

type Choice = Pick<EstimateValues, 'isItemized' | 'email' | 'text'>

/** Undefined where nothing leaves from here: the PDF is downloaded, or one's own phone sends the text. */
export function describeSendingTo(lead: LeadDetail, { email, text }: Pick<Choice, 'email' | 'text'>) {
  const channels = [text && canReceiveTexts(lead) && 'text', email && Boolean(lead.email) && 'email'].filter(Boolean)
  const [firstName = lead.name] = lead.name.trim().split(/\s+/)
  return channels.length === 0 ? undefined : `by ${channels.join(' and ')} to ${firstName}`
}

/** One amount keeps the dialog's name. */
export function describeSendButton(lead: LeadDetail, isRevision: boolean, choice: Choice): string {
  const sending = describeSendingTo(lead, choice)
  if (isRevision) return sending ? `Send new version ${sending}` : 'Make the new version'
  return choice.isItemized && sending ? `Send ${sending}` : 'Generate Estimate PDF'
}

type SendButtonProps = {
  form: UseFormReturn<EstimateValues>
  lead: LeadDetail
  isRevision: boolean
  isPending: boolean
}

export function SendButton({ form, lead, isRevision, isPending }: SendButtonProps) {
  const [isItemized, email, text] = useWatch({ control: form.control, name: ['isItemized', 'email', 'text'] })
  const words = describeSendButton(lead, isRevision, { isItemized, email, text })
  const isSending = words.startsWith('Send')
  return (
    <Button
      type="submit"
      icon={isSending ? 'send' : 'document'}
      pending={isPending}
      pendingText={isSending ? 'Sending...' : 'Generating...'}
    >
      <span className="min-w-0 wrap-anywhere">{words}</span>
    </Button>
  )
}
