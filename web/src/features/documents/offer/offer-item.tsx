import { lazy, type ReactNode, Suspense, useState } from 'react'
import { formatMoney } from '@/lib/format/money'
import { useOnline } from '@/lib/hooks/use-online'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { CopyButton } from '@/ui/copy-field'
import type { Recipient } from '../channel-fields'
import { offerMessages } from './messages'
import { useOfferPdf } from './mutations'
import { OfferHistory } from './offer-history'
import { canRenewLink, OFFER_STATUSES, type OfferPermissions } from './statuses'
import { getOfferKind, type Offer } from './types'

const SendOfferDialog = lazy(async () => ({ default: (await import('./send-dialog')).SendOfferDialog }))
const RenewOfferLinkDialog = lazy(async () => ({ default: (await import('./link-dialog')).RenewOfferLinkDialog }))
const VerifySignatureDialog = lazy(async () => ({ default: (await import('./verify-dialog')).VerifySignatureDialog }))
const WithdrawOfferDialog = lazy(async () => ({ default: (await import('./withdraw-dialog')).WithdrawOfferDialog }))

/** Beside each other on a phone. */
const SMALL_CLASS = 'min-h-11! px-3! text-note!'

type ActionProps = {
  offer: Offer
  to: Recipient
  may: OfferPermissions
  /** Another version of it is asked for: each offer has a form of its own. */
  onRevise: () => void
}
type OfferItemProps = ActionProps & {
  /** A deposit is due no more once everything is paid. */ isLeadPaid: boolean
  timeZone: string
  /** Between its name and its history. */ children?: ReactNode
}

export function OfferItem({ isLeadPaid, timeZone, children, ...rest }: OfferItemProps) {
  const { offer } = rest
  const { label, tone, icon } = OFFER_STATUSES[offer.status]
  return (
    <li className="rounded-field border border-primary/22 p-3 sm:p-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <div className="min-w-0">
          <h3 className="font-semibold">{offer.number}</h3>
          <p className="text-crew tabular-nums">{formatMoney(offer.total)}</p>
        </div>
        <Badge tone={tone} icon={icon}>
          {label}
        </Badge>
      </div>
      {children}
      <OfferHistory offer={offer} isLeadPaid={isLeadPaid} timeZone={timeZone} />
      <OfferActions {...rest} />
    </li>
  )
}

function OfferActions({ offer, to, may, onRevise }: ActionProps) {
  const [openDialog, setAsked] = useState<'send' | 'link' | 'verify' | 'withdraw'>()
  const isOnline = useOnline()
  const { copied, copyFailed } = offerMessages.of[getOfferKind(offer)]
  const close = () => setAsked(undefined)
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {offer.fileId && <PdfButton offer={offer} />}
      {offer.signedFileId && <PdfButton offer={offer} copy="signed" />}
      {offer.link && (
        <CopyButton
          value={offer.link}
          label={`Copy link to ${offer.number}`}
          copied={copied}
          failed={copyFailed}
          className={SMALL_CLASS}
        >
          Copy link
        </CopyButton>
      )}
      {may.send && (
        <Button
          variant="secondary"
          icon="send"
          className={SMALL_CLASS}
          disabled={!isOnline}
          onClick={() => setAsked('send')}
        >
          Send again
        </Button>
      )}
      {may.revise && (
        <Button variant="secondary" icon="pencil" className={SMALL_CLASS} disabled={!isOnline} onClick={onRevise}>
          Revise
        </Button>
      )}
      {offer.approval && (
        <Button
          variant="secondary"
          icon="shield"
          className={SMALL_CLASS}
          disabled={!isOnline}
          onClick={() => setAsked('verify')}
        >
          Verify signature
        </Button>
      )}
      {canRenewLink(offer) && (
        <Button
          variant="ghost"
          icon="refresh"
          className={SMALL_CLASS}
          disabled={!isOnline}
          onClick={() => setAsked('link')}
        >
          New link
        </Button>
      )}
      {may.withdraw && (
        <Button
          variant="ghost"
          icon="close"
          className={SMALL_CLASS}
          disabled={!isOnline}
          onClick={() => setAsked('withdraw')}
        >
          Withdraw
        </Button>
      )}
      <Suspense fallback={null}>
        {openDialog === 'send' && <SendOfferDialog offer={offer} to={to} onClose={close} />}
        {openDialog === 'link' && <RenewOfferLinkDialog offer={offer} onClose={close} />}
        {openDialog === 'verify' && <VerifySignatureDialog offer={offer} onClose={close} />}
        {openDialog === 'withdraw' && <WithdrawOfferDialog offer={offer} onClose={close} />}
      </Suspense>
    </div>
  )
}

function PdfButton({ offer, copy }: { offer: Offer; copy?: 'signed' }) {
  const pdf = useOfferPdf(offer, copy)
  const buttonLabel = copy ? 'Signed copy' : 'PDF'
  return (
    <Button
      variant="secondary"
      icon="download"
      className={SMALL_CLASS}
      aria-label={`${buttonLabel} of ${offer.number}`}
      pending={pdf.isPending}
      onClick={() => pdf.mutate()}
    >
      {buttonLabel}
    </Button>
  )
}
