// Text to send from the own phone, opened by `?do=text`.
import { useSearchParams } from 'react-router-dom'
import { formatPhone } from '@/lib/format/phone'
import { Dialog } from '@/ui/dialog'
import { withSmsBody } from '../lib/sms-link'
import { findManualText } from '../lib/find-manual-text'
import { inboxMessages } from '../messages'
import type { ConversationPage, Message } from '../types'
import { SendFromOwnPhone } from './bubble-actions'

type ManualTextSheetProps = { conversation: ConversationPage; onSent: (message: Message) => void }

export function ManualTextSheet({ conversation, onSent }: ManualTextSheetProps) {
  const [search, setSearch] = useSearchParams()
  const message = findManualText(conversation)
  const words = message?.ownPhoneText ?? message?.body ?? ''
  const phone = conversation.customer.phone
  const close = () => {
    search.delete('do')
    setSearch(search, { replace: true })
  }
  return (
    <Dialog
      open={search.get('do') === 'text' && message !== undefined}
      onClose={close}
      title={inboxMessages.byHand.title}
    >
      {message && phone && (
        <>
          <p className="text-muted">{inboxMessages.byHand.why(formatPhone(phone))}</p>
          <p className="my-4 rounded-box border border-primary/30 px-3 py-2 wrap-anywhere whitespace-pre-line">
            {words}
          </p>
          <div className="flex flex-wrap gap-2">
            <SendFromOwnPhone
              link={withSmsBody(`sms:${phone}`, words)}
              onSent={() => {
                onSent(message)
                close()
              }}
            />
          </div>
        </>
      )}
    </Dialog>
  )
}
