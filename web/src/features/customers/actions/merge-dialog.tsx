// Side-by-side comparison of two records and their merge.
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router-dom'
import { contactMessages } from '@/features/contact-points/messages'
import { ContactPointStatus } from '@/features/contact-points/contact-point'
import { formatDate } from '@/lib/format/date'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { describeRecords, describeOfferConsent, describeTextConsent } from '../lib/merge-text'
import { customersMessages } from '../messages'
import { useMergeCustomers } from '../mutations'
import { customerQueries } from '../queries'
import type { MergePoint, MergePreview, MergeSide } from '../types'

type MergeCustomersDialogProps = { id: string; otherId: string; onClose: () => void }

export function MergeCustomersDialog({ id, otherId, onClose }: MergeCustomersDialogProps) {
  const { orgId, orgTimezone } = useCurrentUser()
  const merge = useMergeCustomers(id)
  // After the merge the two are one record, and no comparison is left to fetch.
  const preview = useQuery({ ...customerQueries.merge(orgId, id, otherId), enabled: merge.isIdle || merge.isError })
  const navigate = useNavigate()
  const confirm = () =>
    merge.mutate(otherId, {
      onSuccess: (kept) => {
        onClose()
        if (kept.id !== id) void navigate(paths.customer(kept.id), { replace: true })
      },
    })
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title={t('Are these one person?')}
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('Keep both')}
          </Button>
          <Button
            icon="check"
            disabled={!preview.data || Boolean(preview.data.blockedBy)}
            pending={merge.isPending}
            pendingText={t('Merging...')}
            onClick={confirm}
          >
            {t('Merge the two')}
          </Button>
        </>
      }
    >
      <QueryBoundary
        query={preview}
        skeleton={<SkeletonLines lines={6} />}
        errorText={customersMessages.merge.previewFailed}
        timeZone={orgTimezone}
      >
        {(found) => <RecordComparison preview={found} timeZone={orgTimezone} />}
      </QueryBoundary>
    </Dialog>
  )
}

function RecordComparison({ preview, timeZone }: { preview: MergePreview; timeZone: string }) {
  const { kept, gone, result, blockedBy } = preview
  const asideRows = listAsideRows(result)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {blockedBy && (
        <Notice tone="warning" title={t('They cannot be merged now')}>
          {blockedBy}
        </Notice>
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <RecordColumn title={t('Kept: the older record')} side={kept} keptPoints={kept.points} timeZone={timeZone} />
        <RecordColumn title={t('Goes into it')} side={gone} keptPoints={kept.points} timeZone={timeZone} />
      </div>
      <section className="rounded-field border border-primary/55 bg-primary/8 p-3">
        <h3 className="mb-2 font-semibold">{t('As one')}</h3>
        <dl className="grid gap-1.5">
          <ComparisonRow label={t('Name')}>{result.name}</ComparisonRow>
          <ComparisonRow label={t('Replies go to')}>
            <ReplyAddresses result={result} />
          </ComparisonRow>
          {asideRows.length > 0 && (
            <ComparisonRow label={t('Set aside')}>
              {asideRows.map((row) => (
                <AsideAddress key={row.shown} row={row} />
              ))}
            </ComparisonRow>
          )}
          <ComparisonRow label={t('Texts')}>{describeTextConsent(result)}</ComparisonRow>
          <ComparisonRow label={t('Offers')}>{describeOfferConsent(result)}</ComparisonRow>
        </dl>
        <p className="mt-2 text-note text-muted">
          {t(
            'Every lead, job, message, estimate, invoice and payment of both is kept. Where the two differ about texts, offers or being blocked, the stricter holds. You can separate them for 30 days.',
          )}
        </p>
      </section>
    </div>
  )
}

type AsideRow = {
  kind: 'phone' | 'email'
  shown: string
  papers: readonly string[]
  alsoFor?: string | null | undefined
}

/** Each address that is set aside once, whether the merge or something earlier did it. */
function listAsideRows({ phoneShown, email, phoneAlsoFor, emailAlsoFor, setAside, shutOff }: MergeResult): AsideRow[] {
  const main: AsideRow[] = [
    ...(phoneShown ? [{ kind: 'phone', shown: phoneShown, papers: [], alsoFor: phoneAlsoFor } as const] : []),
    ...(email ? [{ kind: 'email', shown: email, papers: [], alsoFor: emailAlsoFor } as const] : []),
  ]
  const isShutOff = (shown: string) => shutOff.some((one) => one.shown === shown)
  const earlier = main.filter(({ kind, shown }) => setAside.includes(kind) && !isShutOff(shown))
  return [...earlier, ...shutOff.map(({ kind, shown, papers }) => ({ kind, shown, papers }))]
}

function AsideAddress({ row: { kind, shown, papers, alsoFor } }: { row: AsideRow }) {
  return (
    <span className="block">
      {kind === 'phone' ? (
        <span className="whitespace-nowrap tabular-nums">{shown}</span>
      ) : (
        <BreakableAddress>{shown}</BreakableAddress>
      )}
      <span className="block text-muted">
        {alsoFor ? contactMessages.asideElsewhere(alsoFor) : contactMessages.shutOff}
        {papers.length > 0 && `. ${contactMessages.papersStop(papers)}`}
      </span>
    </span>
  )
}

type MergeResult = MergePreview['result']

const isInUse = ({ setAside }: MergeResult, kind: 'phone' | 'email') => !setAside.includes(kind)

/** The phone and email of the merged record that get messages. */
function ReplyAddresses({ result }: { result: MergeResult }) {
  const phone = isInUse(result, 'phone') && result.phoneShown
  const email = isInUse(result, 'email') && result.email
  if (!phone && !email) return t('No phone or email')
  return (
    <>
      {phone && (
        <>
          <span className="block whitespace-nowrap tabular-nums">{phone}</span>{' '}
          <ContactPointStatus isAside={false} proof={result.phoneProof} alsoFor={result.phoneAlsoFor} />
        </>
      )}
      {email && (
        <>
          <span className="block">
            <BreakableAddress>{email}</BreakableAddress>
          </span>
          <ContactPointStatus isAside={false} proof={result.emailProof} alsoFor={result.emailAlsoFor} />
        </>
      )}
    </>
  )
}

type RecordColumnProps = {
  title: string
  side: MergeSide
  keptPoints: readonly MergePoint[]
  timeZone: string
}

function RecordColumn({ title, side, keptPoints, timeZone }: RecordColumnProps) {
  return (
    <section className="rounded-field border border-primary/22 p-3">
      <p className="text-caption text-muted">{title}</p>
      <h3 className="mb-2 text-crew wrap-anywhere">{side.name}</h3>
      <dl className="grid gap-1.5">
        <ComparisonRow label={t('Phone')}>
          <SidePoints points={side.points.filter(({ kind }) => kind === 'phone')} keptPoints={keptPoints} />
        </ComparisonRow>
        <ComparisonRow label={t('Email')}>
          <SidePoints points={side.points.filter(({ kind }) => kind === 'email')} keptPoints={keptPoints} />
        </ComparisonRow>
        <ComparisonRow label={t('Has')}>{describeRecords(side)}</ComparisonRow>
        <ComparisonRow label={t('Texts')}>{describeTextConsent(side)}</ComparisonRow>
        <ComparisonRow label={t('Offers')}>{describeOfferConsent(side)}</ComparisonRow>
        <ComparisonRow label={t('Known since')}>{formatDate(side.createdAt, timeZone)}</ComparisonRow>
      </dl>
    </section>
  )
}

type SidePointsProps = { points: readonly MergePoint[]; keptPoints: readonly MergePoint[] }

/** Every phone or email of one record, with its proof, and which one becomes the main one of the record that is kept. */
function SidePoints({ points, keptPoints }: SidePointsProps) {
  if (points.length === 0) return t('None')
  const isOnKept = (shown: string) => keptPoints.some((point) => point.shown === shown)
  return points.map(({ kind, shown, proof, alsoFor, isMain, isSetAside }) => (
    <span key={shown} className="block">
      {kind === 'phone' ? (
        <span className="whitespace-nowrap tabular-nums">{shown}</span>
      ) : (
        <BreakableAddress>{shown}</BreakableAddress>
      )}
      <ContactPointStatus isAside={false} proof={proof} alsoFor={alsoFor} />
      {isSetAside ? (
        <span className="block text-note text-muted">{contactMessages.shutOff}</span>
      ) : (
        isMain &&
        !isOnKept(shown) && <span className="block text-note font-semibold">{contactMessages.becomesMain[kind]}</span>
      )}
    </span>
  ))
}

function ComparisonRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-2">
      <dt className="text-note text-muted">{label}</dt>
      <dd className="min-w-0 text-note wrap-anywhere">{children}</dd>
    </div>
  )
}
