// Who it is, with the way to reach them.
import { Link } from 'react-router-dom'
import { LEAD_NUMBER_LENGTH } from '@/domain/lead'
import { telHref } from '@/lib/format/phone'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { ExternalButton, LinkButton } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { StageBadge } from '@/ui/stage-badge'
import type { LeadDetail } from '../queries'
import { LeadBadges } from './lead-badges'

export function LeadHeader({ lead }: { lead: LeadDetail }) {
  const phone = lead.phoneE164 ?? lead.phone
  return (
    <header className="flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <h1 className="min-w-0 text-title wrap-anywhere">{lead.name}</h1>
          <StageBadge stage={lead.stage} />
        </div>
        <p className="mt-1 mb-2 flex flex-wrap items-center gap-x-3 text-muted">
          <span>{t('Lead #{number}', { number: lead.id.slice(0, LEAD_NUMBER_LENGTH) })}</span>
          <Link to={paths.customer(lead.customerId)} className="text-link inline-flex min-h-6 items-center gap-1.5">
            <Icon name="user" className="size-4" />
            {t('Customer record')}
          </Link>
        </p>
        <LeadBadges lead={lead} />
      </div>
      {phone && (
        <div className="grid w-full grid-cols-2 gap-2 sm:flex sm:w-auto">
          <ExternalButton href={telHref(phone)} icon="phone" variant="secondary">
            {t('Call')}
          </ExternalButton>
          <MessageLink lead={lead} />
          {lead.noText && (
            <p className="col-span-2 text-note text-muted sm:self-center">
              {t('No texts: {reason}.', { reason: lead.noText })}
            </p>
          )}
        </div>
      )}
      {!phone && lead.email && (
        <LinkButton to={paths.thread(lead.customerId)} icon="mail" variant="secondary">
          {t('Email')}
        </LinkButton>
      )}
    </header>
  )
}

/** To the conversation, named by the way that is open. */
function MessageLink({ lead: { customerId, email, noText } }: { lead: LeadDetail }) {
  const other = email ? t('Email') : t('Messages')
  return (
    <LinkButton to={paths.thread(customerId)} icon={noText && email ? 'mail' : 'message'} variant="secondary">
      {noText ? other : t('Text')}
    </LinkButton>
  )
}
