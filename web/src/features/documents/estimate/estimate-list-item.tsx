import { lazy, type ReactNode, Suspense, useState } from 'react'
import { formatMoney } from '@/lib/format/money'
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { CopyButton } from '@/ui/copy-field'
import type { Recipient } from '../channel-fields'
import { estimateMessages } from './messages'
import { useEstimatePdf } from './mutations'
import { EstimateHistory } from './estimate-history'
import { canRenewLink, ESTIMATE_STATUSES, type EstimatePermissions } from './statuses'
import { getEstimateKind, type EstimateView } from './types'

const SendEstimateDialog = lazy(async () => ({ default: (await import('./send-dialog')).SendEstimateDialog }))
const RenewEstimateLinkDialog = lazy(async () => ({ default: (await import('./link-dialog')).RenewEstimateLinkDialog }))
const VerifySignatureDialog = lazy(async () => ({ default: (await import('./verify-dialog')).VerifySignatureDialog }))
const WithdrawEstimateDialog = lazy(async () => ({
  default: (await import('./withdraw-dialog')).WithdrawEstimateDialog,
}))

/** Beside each other on a phone. */
const SMALL_CLASS = 'min-h-11! px-3! text-note!'

type ActionProps = {
  estimate: EstimateView
  to: Recipient
  may: EstimatePermissions
  /** Another version of it is asked for: each estimate has a form of its own. */
  onRevise: () => void
}
type EstimateListItemProps = ActionProps & {
  /** A deposit is due no more once everything is paid. */ isLeadPaid: boolean
  timeZone: string
  /** Between its name and its history. */ children?: ReactNode
}

export function EstimateListItem({ isLeadPaid, timeZone, children, ...rest }: EstimateListItemProps) {
  const { estimate } = rest
  const { label, tone, icon } = ESTIMATE_STATUSES[estimate.status]
  return (
    <li className="rounded-field border border-primary/22 p-3 sm:p-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <div className="min-w-0">
          <h3 className="font-semibold">{estimate.number}</h3>
          <p className="text-crew tabular-nums">{formatMoney(estimate.total)}</p>
        </div>
        <Badge tone={tone} icon={icon}>
          {label}
        </Badge>
      </div>
      {children}
      <EstimateHistory estimate={estimate} isLeadPaid={isLeadPaid} timeZone={timeZone} />
      <EstimateActions {...rest} />
    </li>
  )
}

function EstimateActions({ estimate, to, may, onRevise }: ActionProps) {
  const [openDialog, setAsked] = useState<'send' | 'link' | 'verify' | 'withdraw'>()
  const isOnline = useOnline()
  const { copied, copyFailed } = estimateMessages.of[getEstimateKind(estimate)]
  const close = () => setAsked(undefined)
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {estimate.fileId && <PdfButton estimate={estimate} />}
      {estimate.signedFileId && <PdfButton estimate={estimate} copy="signed" />}
      {estimate.link && (
        <CopyButton
          value={estimate.link}
          label={t('Copy link to {number}', { number: estimate.number })}
          copied={copied}
          failed={copyFailed}
          className={SMALL_CLASS}
        >
          {t('Copy link')}
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
          {t('Send again')}
        </Button>
      )}
      {may.revise && (
        <Button variant="secondary" icon="pencil" className={SMALL_CLASS} disabled={!isOnline} onClick={onRevise}>
          {t('Revise')}
        </Button>
      )}
      {estimate.approval && (
        <Button
          variant="secondary"
          icon="shield"
          className={SMALL_CLASS}
          disabled={!isOnline}
          onClick={() => setAsked('verify')}
        >
          {t('Verify signature')}
        </Button>
      )}
      {canRenewLink(estimate) && (
        <Button
          variant="ghost"
          icon="refresh"
          className={SMALL_CLASS}
          disabled={!isOnline}
          onClick={() => setAsked('link')}
        >
          {t('New link')}
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
          {t('Withdraw')}
        </Button>
      )}
      <Suspense fallback={null}>
        {openDialog === 'send' && <SendEstimateDialog estimate={estimate} to={to} onClose={close} />}
        {openDialog === 'link' && <RenewEstimateLinkDialog estimate={estimate} onClose={close} />}
        {openDialog === 'verify' && <VerifySignatureDialog estimate={estimate} onClose={close} />}
        {openDialog === 'withdraw' && <WithdrawEstimateDialog estimate={estimate} onClose={close} />}
      </Suspense>
    </div>
  )
}

function PdfButton({ estimate, copy }: { estimate: EstimateView; copy?: 'signed' }) {
  const pdf = useEstimatePdf(estimate, copy)
  const { number } = estimate
  return (
    <Button
      variant="secondary"
      icon="download"
      className={SMALL_CLASS}
      aria-label={copy ? t('Signed copy of {number}', { number }) : t('PDF of {number}', { number })}
      pending={pdf.isPending}
      onClick={() => pdf.mutate()}
    >
      {copy ? t('Signed copy') : 'PDF'}
    </Button>
  )
}
