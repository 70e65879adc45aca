import { Link } from 'react-router-dom'
import { formatDate } from '@/lib/format/date'
import { formatMoney } from '@/lib/format/money'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Card } from '@/ui/card'
import { StageBadge } from '@/ui/stage-badge'
import type { Customer } from '../types'
import { LinkRows, LinkRow } from './link-rows'

export function CustomerLeadsCard({ leads, timeZone }: { leads: Customer['leads']; timeZone: string }) {
  return (
    <Card title={t('Leads')} icon="leads">
      {leads.length === 0 ? (
        <p className="text-muted">{t('They have not asked for anything.')}</p>
      ) : (
        <LinkRows>
          {leads.map((lead) => (
            <LinkRow key={lead.id} aside={<StageBadge stage={lead.stage} />}>
              <Link
                to={paths.lead(lead.id)}
                className="block font-semibold after:absolute after:inset-0 hover:underline"
              >
                {lead.service}
              </Link>
              <span className="block text-note text-muted">
                {formatDate(lead.createdAt, timeZone)}, {lead.source}
                {typeof lead.quotedTotal === 'number' && `, ${formatMoney(lead.quotedTotal)}`}
              </span>
            </LinkRow>
          ))}
        </LinkRows>
      )}
    </Card>
  )
}
