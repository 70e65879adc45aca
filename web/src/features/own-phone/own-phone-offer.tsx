// Text for the member's own phone, where the business cannot text: opened in the phone's app, then noted as sent.
import { useState } from 'react'
import type { Schema } from '@/api/client'
import { formatDateTime } from '@/lib/format/date'
import { t } from '@/lib/i18n'
import { Button, ExternalButton } from '@/ui/button'
import { StatusLine } from '@/ui/status-line'
import { useNoteOwnPhoneText } from './mutations'

type OwnPhoneOfferProps = { offer: Schema['OwnPhoneText']; timeZone: string }

export function OwnPhoneOffer({ offer, timeZone }: OwnPhoneOfferProps) {
  const [isOpened, setIsOpened] = useState(false)
  const note = useNoteOwnPhoneText(offer)
  const sentAt = note.data?.sentAt ?? offer.sentAt
  return (
    <div className="grid gap-3">
      <p>{t('You can text it from your own phone.')}</p>
      <blockquote className="rounded-box border border-primary/30 bg-primary/8 p-3 whitespace-pre-line wrap-anywhere">
        {offer.text}
      </blockquote>
      {sentAt && (
        <StatusLine tone="success" icon="check">
          {t('You sent this text from your own phone on {time}.', { time: formatDateTime(sentAt, timeZone) })}
        </StatusLine>
      )}
      <div className="flex flex-wrap gap-2">
        <ExternalButton href={offer.smsLink} variant="secondary" icon="phone" onClick={() => setIsOpened(true)}>
          {sentAt ? t('Text it again from my phone') : t('Text from my phone')}
        </ExternalButton>
        {isOpened && (
          <Button
            icon="check"
            pending={note.isPending}
            pendingText={t('Noting...')}
            onClick={() => note.mutate(undefined, { onSuccess: () => setIsOpened(false) })}
          >
            {t('I sent it')}
          </Button>
        )}
      </div>
    </div>
  )
}
