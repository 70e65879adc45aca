// The other customer who has a proposed address.
import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { contactMessages as texts, endName } from './messages'
import type { ContactProposal } from './types'

export function OtherOwner({ proposal: { belongsTo, belongsToId, isUsable } }: { proposal: ContactProposal }) {
  if (!belongsToId) return null
  return (
    <span className="block text-caption text-muted">
      {t('On another customer:')}{' '}
      <Link to={paths.customer(belongsToId)} className="text-link">
        {belongsTo}
      </Link>
      {endName(belongsTo)} {isUsable ? texts.movable : texts.provenElsewhere}
    </span>
  )
}
