import { Link } from 'react-router-dom'
import { contactMessages } from '@/features/contact-points/messages'
import { NOT_SCHEDULED } from '@/domain/job'
import { formatDateTime, formatTime } from '@/lib/format/date'
import { formatDuration } from '@/lib/format/duration'
import { formatPhone, telHref } from '@/lib/format/phone'
import { useOnline } from '@/lib/hooks/use-online'
import { usePageAction } from '@/lib/hooks/use-page-action'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { DescriptionItem, DescriptionList } from '@/ui/description-list'
import { Icon } from '@/ui/icon'
import { crewLabel } from '../lib/labels'
import { mapHref } from '../lib/map-href'
import type { JobDetail } from '../types'

const MINUTE_MS = 60_000

type JobCardProps = { job: JobDetail; timeZone: string }

export function JobCard({ job, timeZone }: JobCardProps) {
  const { role } = useCurrentUser()
  const map = mapHref(job)
  const address = [job.address, job.zip].filter(Boolean).join(', ')
  return (
    <Card title={t('Job Details')} icon="document">
      <div className="grid gap-4">
        <p className={job.serviceDescription ? 'max-w-[68ch] wrap-anywhere whitespace-pre-line' : 'text-muted'}>
          {job.serviceDescription || t('No description')}
        </p>
        <DescriptionList>
          {/* The request itself is for the office. */}
          <DescriptionItem label={t('Customer')}>
            {role === 'crew' ? (
              job.customerName
            ) : (
              <Link to={paths.lead(job.leadId)} className="text-link inline-block min-h-6">
                {job.customerName}
              </Link>
            )}
          </DescriptionItem>
          <DescriptionItem label={t('Phone')}>
            <CustomerPhone job={job} />
            {job.customerPhone && <UnmatchedCustomer proof={job.customerPhoneProof} />}
            {role !== 'crew' && <VisitMessages job={job} />}
          </DescriptionItem>
          {job.customerEmail && (
            <DescriptionItem label={t('Email')}>
              <a href={`mailto:${job.customerEmail}`} className="text-link inline-block min-h-6">
                <BreakableAddress>{job.customerEmail}</BreakableAddress>
              </a>
              <UnmatchedCustomer proof={job.customerEmailProof} />
            </DescriptionItem>
          )}
          <DescriptionItem label={t('Address')}>
            {map ? (
              <a
                href={map}
                target="_blank"
                rel="noopener noreferrer"
                className="text-link inline-flex min-h-6 items-start gap-1.5"
              >
                {address}
                <Icon name="external" className="mt-1 size-4" />
                <span className="sr-only"> {t('(map, new tab)')}</span>
              </a>
            ) : (
              t('No address')
            )}
          </DescriptionItem>
          <DescriptionItem label={t('Scheduled')}>
            {job.scheduledAt ? <VisitTime job={job} at={job.scheduledAt} timeZone={timeZone} /> : NOT_SCHEDULED}
          </DescriptionItem>
          <DescriptionItem label={t('Crew')}>
            <JobCrew job={job} />
          </DescriptionItem>
          {job.startedAt && (
            <DescriptionItem label={t('Started')}>{formatDateTime(job.startedAt, timeZone)}</DescriptionItem>
          )}
          {job.completedAt && (
            <DescriptionItem label={t('Completed')}>{formatDateTime(job.completedAt, timeZone)}</DescriptionItem>
          )}
          {job.cancelledAt && (
            <DescriptionItem label={t('Cancelled')}>
              {formatDateTime(job.cancelledAt, timeZone)}
              {job.cancelReason && <span className="block text-note text-muted">{job.cancelReason}</span>}
            </DescriptionItem>
          )}
        </DescriptionList>
      </div>
    </Card>
  )
}

function JobCrew({ job: { crewAssigned, crewId, status } }: { job: JobDetail }) {
  const { role } = useCurrentUser()
  const isOnline = useOnline()
  const [, ask] = usePageAction()
  const canAssign = !crewId && role !== 'crew' && (status === 'Scheduled' || status === 'In Progress')
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      {crewLabel(crewAssigned)}
      {canAssign && (
        <Button
          variant="secondary"
          icon="leads"
          className="min-h-11! text-note!"
          disabled={!isOnline}
          onClick={() => ask('assign')}
        >
          {t('Assign a crew')}
        </Button>
      )}
    </span>
  )
}

function CustomerPhone({ job: { customerPhone, customerPhoneShown } }: { job: JobDetail }) {
  if (!customerPhone) return contactMessages.noneInUse
  return (
    <a
      href={telHref(customerPhone)}
      className="text-link inline-flex min-h-6 items-center gap-1.5 whitespace-nowrap tabular-nums"
    >
      <Icon name="phone" className="size-4 max-[22rem]:hidden" />
      {customerPhoneShown ?? formatPhone(customerPhone)}
    </a>
  )
}

/** Said where messages about the visit do not go to the phone, or cannot leave at all. */
function VisitMessages({ job: { customerNoVisitText, customerVisitUnreachable } }: { job: JobDetail }) {
  if (customerVisitUnreachable)
    return (
      <span className="block text-note font-semibold">
        {t('No message about the visit can reach them: {reason}', { reason: customerVisitUnreachable })}
      </span>
    )
  if (!customerNoVisitText) return null
  return (
    <span className="block text-note text-muted">
      {t('No texts about the visit: {reason}.', { reason: customerNoVisitText })}
    </span>
  )
}

/** Said where nothing but a form names the address. */
function UnmatchedCustomer({ proof }: { proof: JobDetail['customerPhoneProof'] }) {
  return proof === 'form' ? <span className="block text-note text-muted">{contactMessages.proofs.form}</span> : null
}

function VisitTime({
  job: { endsAt, arrivalMinutes },
  at,
  timeZone,
}: {
  job: JobDetail
  at: string
  timeZone: string
}) {
  return (
    <>
      {formatDateTime(at, timeZone)}
      {endsAt && ` – ${formatTime(endsAt, timeZone)}`}
      {arrivalMinutes > 0 && (
        <span className="block text-note text-muted">
          {t('Arrival between {from} and {until} ({duration})', {
            from: formatTime(at, timeZone),
            until: formatTime(Date.parse(at) + arrivalMinutes * MINUTE_MS, timeZone),
            duration: formatDuration(arrivalMinutes),
          })}
        </span>
      )}
    </>
  )
}
