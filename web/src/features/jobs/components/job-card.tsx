// What is to be done, for whom, where and when.
import { Link } from 'react-router-dom'
import { contactTexts } from '@/features/contact-points/messages'
import { NOT_SCHEDULED } from '@/domain/job'
import { formatDateTime, formatTime } from '@/lib/format/date'
import { formatDuration } from '@/lib/format/duration'
import { formatPhone, telHref } from '@/lib/format/phone'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/session/use-session'
import { Breakable } from '@/ui/breakable'
import { Card } from '@/ui/card'
import { Fact, Facts } from '@/ui/facts'
import { Icon } from '@/ui/icon'
import { mapHref } from '../lib/map-href'
import type { JobDetail } from '../types'

const NOT_PROVIDED = 'Not provided'
const MINUTE_MS = 60_000

type JobCardProps = { job: JobDetail; timeZone: string }

export function JobCard({ job, timeZone }: JobCardProps) {
  const { role } = useCurrentUser()
  const map = mapHref(job)
  const address = [job.address, job.zip].filter(Boolean).join(', ')
  return (
    <Card title="Job Details" icon="document">
      <div className="grid gap-4">
        <p className={job.serviceDescription ? 'max-w-[68ch] wrap-anywhere whitespace-pre-line' : 'text-muted'}>
          {job.serviceDescription || 'No description'}
        </p>
        <Facts>
          {/* The request itself is for the office. */}
          <Fact label="Customer">
            {role === 'crew' ? (
              job.customerName
            ) : (
              <Link to={paths.lead(job.leadId)} className="text-link inline-block min-h-6">
                {job.customerName}
              </Link>
            )}
          </Fact>
          <Fact label="Phone">
            <Phone job={job} />
            {job.customerPhone && <OnlyTyped proof={job.customerPhoneProof} />}
          </Fact>
          {job.customerEmail && (
            <Fact label="Email">
              <a href={`mailto:${job.customerEmail}`} className="text-link inline-block min-h-6">
                <Breakable>{job.customerEmail}</Breakable>
              </a>
              <OnlyTyped proof={job.customerEmailProof} />
            </Fact>
          )}
          <Fact label="Address">
            {map ? (
              <a
                href={map}
                target="_blank"
                rel="noopener noreferrer"
                className="text-link inline-flex min-h-6 items-start gap-1.5"
              >
                {address}
                <Icon name="external" className="mt-1 size-4" />
                <span className="sr-only"> (map, new tab)</span>
              </a>
            ) : (
              'No address'
            )}
          </Fact>
          <Fact label="Scheduled">
            {job.scheduledAt ? <When job={job} at={job.scheduledAt} timeZone={timeZone} /> : NOT_SCHEDULED}
          </Fact>
          {job.startedAt && <Fact label="Started">{formatDateTime(job.startedAt, timeZone)}</Fact>}
          {job.completedAt && <Fact label="Completed">{formatDateTime(job.completedAt, timeZone)}</Fact>}
          {job.cancelledAt && (
            <Fact label="Cancelled">
              {formatDateTime(job.cancelledAt, timeZone)}
              {job.cancelReason && <span className="block text-note text-muted">{job.cancelReason}</span>}
            </Fact>
          )}
        </Facts>
      </div>
    </Card>
  )
}

function Phone({ job: { customerPhone, customerPhoneShown } }: { job: JobDetail }) {
  if (!customerPhone) return NOT_PROVIDED
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

/** Said where nothing but a form names the address. */
function OnlyTyped({ proof }: { proof: JobDetail['customerPhoneProof'] }) {
  return proof === 'form' ? <span className="block text-note text-muted">{contactTexts.proofs.form}</span> : null
}

function When({ job: { endsAt, arrivalMinutes }, at, timeZone }: { job: JobDetail; at: string; timeZone: string }) {
  return (
    <>
      {formatDateTime(at, timeZone)}
      {endsAt && ` – ${formatTime(endsAt, timeZone)}`}
      {arrivalMinutes > 0 && (
        <span className="block text-note text-muted">
          Arrival between {formatTime(at, timeZone)} and{' '}
          {formatTime(Date.parse(at) + arrivalMinutes * MINUTE_MS, timeZone)} ({formatDuration(arrivalMinutes)})
        </span>
      )}
    </>
  )
}
