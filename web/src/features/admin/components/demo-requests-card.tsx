// Demo requests and payments, for the operator.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatDateTime } from '@/lib/format/date'
import { formatPhone, telHref } from '@/lib/format/phone'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { EmptyState } from '@/ui/empty-state'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { Table } from '@/ui/table'
import { type DemoRequest, demoRequestQuery, demoRequestMessages as texts } from '../demo-requests'
import { useInviteBusiness } from '../mutations'
import { SendLinkDialog } from './send-link-dialog'

const PLANS = { monthly: t('Monthly'), six_months: t('Six months') } as const satisfies Record<
  DemoRequest['plan'],
  string
>

const COLUMNS = [
  { key: 'name', label: t('Name') },
  { key: 'business', label: t('Business') },
  { key: 'phone', label: t('Phone') },
  { key: 'email', label: t('Email') },
  { key: 'plan', label: t('Plan') },
  { key: 'paid', label: t('Paid') },
  { key: 'when', label: t('When') },
] as const

export function DemoRequestsCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const requests = useQuery(demoRequestQuery(orgId))
  const [selectedRequest, setAsked] = useState<DemoRequest>()
  return (
    <Card title={texts.title} icon="inbox">
      <QueryBoundary
        query={requests}
        skeleton={<SkeletonLines lines={4} />}
        errorText={texts.failed}
        timeZone={orgTimezone}
        isEmpty={(found) => found.length === 0}
        empty={<EmptyState icon="inbox" title={texts.none} />}
      >
        {(found) => (
          <Table caption={t('Who asked for a demo, the newest first')} columns={COLUMNS}>
            {found.map((request) => (
              <RequestRow key={request.id} request={request} timeZone={orgTimezone} onSend={() => setAsked(request)} />
            ))}
          </Table>
        )}
      </QueryBoundary>
      {selectedRequest && <SendLinkDialog request={selectedRequest} onClose={() => setAsked(undefined)} />}
    </Card>
  )
}

/** Registration without payment: the invitation works whatever the registration mode. */
function InviteDialog({ email, orgName }: { email: string; orgName: string }) {
  const invite = useInviteBusiness()
  if (invite.isSuccess)
    return (
      <Badge tone="success" icon="mail">
        {t('Invited')}
      </Badge>
    )
  return (
    <Button
      variant="secondary"
      icon="mail"
      aria-label={t('Invite {orgName} to register', { orgName })}
      pending={invite.isPending}
      pendingText={t('Sending...')}
      onClick={() => invite.mutate(email)}
    >
      {t('Invite')}
    </Button>
  )
}

type RowProps = { request: DemoRequest; timeZone: string; onSend: () => void }

function RequestRow({
  request: { orgId, name, orgName, phone, email, plan, isPaid, isWaiting, createdAt },
  timeZone,
  onSend,
}: RowProps) {
  return (
    <tr>
      <td>{name}</td>
      <td>{orgName}</td>
      <td className="whitespace-nowrap">
        <a className="text-link" href={telHref(phone)}>
          {formatPhone(phone)}
        </a>
      </td>
      <td>
        <a className="text-link" href={`mailto:${email}`}>
          {email}
        </a>
      </td>
      <td>{PLANS[plan]}</td>
      <td>
        <div className="flex flex-wrap items-center gap-2">
          {isPaid ? (
            <Badge tone="success" icon="check-circle">
              {t('Paid')}
            </Badge>
          ) : (
            <Badge tone="neutral" icon="clock">
              {t('Not paid')}
            </Badge>
          )}
          {!isPaid && orgId === null && <InviteDialog email={email} orgName={orgName} />}
          {isWaiting && (
            <Button variant="secondary" icon="mail" aria-label={`${texts.send}: ${orgName}`} onClick={onSend}>
              {texts.send}
            </Button>
          )}
        </div>
      </td>
      <td className="whitespace-nowrap">{formatDateTime(createdAt, timeZone)}</td>
    </tr>
  )
}
