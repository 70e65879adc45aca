// Sending numbers by business, for the operator.
import { useQuery } from '@tanstack/react-query'
import { formatPhone } from '@/lib/format/phone'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { Card } from '@/ui/card'
import { EmptyState } from '@/ui/empty-state'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { Table } from '@/ui/table'
import {
  adminSendingNumberMessages as texts,
  type SendingNumbers,
  sendingNumbersQuery,
  useAssignNumber,
  useShareService,
} from '../sending-numbers'

const COLUMNS = [
  { key: 'number', label: t('Number') },
  { key: 'state', label: t('At Twilio') },
  { key: 'business', label: t('Business') },
] as const

export function SendingNumbersCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const all = useQuery(sendingNumbersQuery(orgId))
  return (
    <Card title={texts.title} icon="phone">
      <QueryBoundary query={all} skeleton={<SkeletonLines lines={4} />} errorText={texts.failed} timeZone={orgTimezone}>
        {(found) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <p className="text-note text-muted">
              {t(
                'A number belongs to one business: its texts leave from it, and answers and calls to it are its own. A business without one sends no texts.',
              )}
            </p>
            {found.fault && (
              <Notice tone="warning" title={t('Twilio’s list could not be read')}>
                {found.fault}
              </Notice>
            )}
            {found.numbers.length === 0 ? (
              <EmptyState icon="phone" title={texts.none} />
            ) : (
              <Table caption={t('The numbers and their businesses')} columns={COLUMNS}>
                {found.numbers.map((sendingNumber) => (
                  <NumberRow key={sendingNumber.number} sendingNumber={sendingNumber} businesses={found.businesses} />
                ))}
              </Table>
            )}
            {found.service && <MessagingServiceSwitch all={found} />}
          </div>
        )}
      </QueryBoundary>
    </Card>
  )
}

type RowProps = { sendingNumber: SendingNumbers['numbers'][number]; businesses: SendingNumbers['businesses'] }

function NumberRow({ sendingNumber: { number, name, inAccount, canText, isServers, business }, businesses }: RowProps) {
  const assign = useAssignNumber()
  const shown = formatPhone(number)
  return (
    <tr>
      <td data-label="Number">
        <span className="font-semibold">{shown}</span>
        {name !== '' && name !== number && <span className="block text-caption text-muted">{name}</span>}
      </td>
      <td data-label="At Twilio">
        <span className="flex flex-wrap gap-1.5">
          {inAccount === false && (
            <Badge tone="warning" icon="alert">
              {t('not in the account')}
            </Badge>
          )}
          {canText === false && (
            <Badge tone="warning" icon="alert">
              {t('cannot send texts')}
            </Badge>
          )}
          {isServers && (
            <Badge tone="info" icon="wrench">
              TWILIO_FROM
            </Badge>
          )}
          {inAccount && canText && !isServers && (
            <Badge tone="success" icon="check-circle">
              {t('can text')}
            </Badge>
          )}
        </span>
      </td>
      <td data-label="Business">
        <select
          className="input"
          aria-label={t('Business of {number}', { number: shown })}
          value={business?.id ?? ''}
          disabled={assign.isPending}
          onChange={(event) => assign.mutate({ number, to: event.target.value === '' ? null : event.target.value })}
        >
          <option value="">{t('No business')}</option>
          {businesses.map(({ id, name: called, slug }) => (
            <option key={id} value={id}>
              {called} ({slug})
            </option>
          ))}
        </select>
      </td>
    </tr>
  )
}

function MessagingServiceSwitch({ all: { businesses, service } }: { all: SendingNumbers }) {
  const share = useShareService()
  return (
    <section aria-label="Messaging Service" className="grid gap-2">
      <h3 className="font-semibold">Messaging Service {service}</h3>
      <p className="text-note text-muted">
        {t(
          'A business that shares it texts from its numbers. An answer goes to the business that last wrote to that person, and a STOP stops all of them. They divide nine tenths of its texts of a day equally. The last tenth is for businesses that you add that day: each gets about half of what is left, and its other texts wait until midnight Pacific time.',
        )}
      </p>
      <ul className="grid gap-1">
        {businesses.map(({ id, name, slug, sharesService }) => (
          <li key={id}>
            <label className="flex min-h-11 items-center gap-3">
              <input
                type="checkbox"
                className="size-5"
                checked={sharesService}
                disabled={share.isPending}
                onChange={(event) => share.mutate({ orgId: id, shares: event.target.checked })}
              />
              <span>
                {name} <span className="text-muted">({slug})</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </section>
  )
}
