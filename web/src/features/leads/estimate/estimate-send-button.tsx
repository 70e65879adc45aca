// The last button says what leaves, how and to whom.
import { type UseFormReturn, useWatch } from 'react-hook-form'
import { canReceiveTexts } from '@/features/documents/channel-fields'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import type { LeadDetail } from '../queries'
import type { EstimateValues } from '../schema'

type Choice = Pick<EstimateValues, 'isItemized' | 'email' | 'text'>

type Channels = 'text' | 'email' | 'both'

/** Undefined where nothing leaves from here: the PDF is downloaded, or one's own phone sends the text. */
function getChannels(lead: LeadDetail, { email, text }: Pick<Choice, 'email' | 'text'>): Channels | undefined {
  const isByEmail = email && Boolean(lead.email)
  if (text && canReceiveTexts(lead)) return isByEmail ? 'both' : 'text'
  return isByEmail ? 'email' : undefined
}

const SEND_LABELS = {
  text: (name) => t('Send by text to {name}', { name }),
  email: (name) => t('Send by email to {name}', { name }),
  both: (name) => t('Send by text and email to {name}', { name }),
} as const satisfies Record<Channels, (name: string) => string>

const SEND_VERSION_LABELS = {
  text: (name) => t('Send new version by text to {name}', { name }),
  email: (name) => t('Send new version by email to {name}', { name }),
  both: (name) => t('Send new version by text and email to {name}', { name }),
} as const satisfies Record<Channels, (name: string) => string>

/** One amount keeps the dialog's name. */
function describeSendButton(lead: LeadDetail, isRevision: boolean, choice: Choice) {
  const channels = getChannels(lead, choice)
  if (!channels || !(isRevision || choice.isItemized))
    return { words: isRevision ? t('Make the new version') : t('Generate Estimate PDF'), isSending: false }
  const [firstName = lead.name] = lead.name.trim().split(/\s+/)
  return { words: (isRevision ? SEND_VERSION_LABELS : SEND_LABELS)[channels](firstName), isSending: true }
}

type SendButtonProps = {
  form: UseFormReturn<EstimateValues>
  lead: LeadDetail
  isRevision: boolean
  isPending: boolean
}

export function SendButton({ form, lead, isRevision, isPending }: SendButtonProps) {
  const [isItemized, email, text] = useWatch({ control: form.control, name: ['isItemized', 'email', 'text'] })
  const { words, isSending } = describeSendButton(lead, isRevision, { isItemized, email, text })
  return (
    <Button
      type="submit"
      icon={isSending ? 'send' : 'document'}
      pending={isPending}
      pendingText={isSending ? t('Sending...') : t('Generating...')}
    >
      <span className="min-w-0 wrap-anywhere">{words}</span>
    </Button>
  )
}
