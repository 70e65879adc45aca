// What an alert asked for: the text that could not leave, ready for one's own phone. An address with `?do=text` opens it.
import { useSearchParams } from 'react-router-dom'
import { formatPhone } from '@/lib/format/phone'
import { Dialog } from '@/ui/dialog'
import { smsLinkWith } from '../lib/sms-link'
import { textByHand } from '../lib/text-by-hand'
import { inboxMessages } from '../messages'
import type { ConversationPage, Message } from '../types'
import { FromMyPhone } from './bubble-actions'

type ByHandSheetProps = { conversation: ConversationPage; onSent: (message: Message) => void }

export function ByHandSheet({ conversation, onSent }: ByHandSheetProps) {
  const [search, setSearch] = useSearchParams()
  const message = textByHand(conversation)
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
            {message.body}
          </p>
          <div className="flex flex-wrap gap-2">
            <FromMyPhone
              link={smsLinkWith(`sms:${phone}`, message.body)}
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
