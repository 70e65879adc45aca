// Notice where the business cannot text.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { capitalize } from '@/lib/format/identifier'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { Notice } from '@/ui/notice'
import { sendingNumberQuery } from '../organization/sending-number'

/** Empty where texts leave. */
export function TextsOffNotice() {
  const { orgId } = useCurrentUser()
  const { data: number } = useQuery(sendingNumberQuery(orgId))
  if (!number?.why) return null
  return (
    <Notice tone="info" title={t('Texts are off')}>
      {t('{why}. Customers are answered by email only.', { why: capitalize(number.why) })}{' '}
      <Link to={paths.textingNumber} className="text-link">
        {t('Set up a number')}
      </Link>
    </Notice>
  )
}
